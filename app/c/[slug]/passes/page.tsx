import { Play } from 'lucide-react';
import type { Metadata } from 'next';
import { Empty } from '@/components/empty';
import { Link } from '@/components/link';
import { Pagination } from '@/components/pagination';
import { ProjectStatus } from '@/components/project-status';
import { Section } from '@/components/section';
import { readCollaboration } from '@/lib/collaboration/read';
import { readContainer } from '@/lib/containers/read';
import { readLock } from '@/lib/lock-page/read';
import { findGrid } from '@/lib/project/read';
import { readPasses } from '@/lib/runner';
import { first, load, withQuery, type Search } from '../../../support/load';
import { viewer } from '../../../support/viewer';
import { ContainerFrame } from '../frame';
import { PassCard } from './pass-card';
import { StartForm } from './start-form';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Passes' };

const LIMIT = 20;

/** The pass board: what runs, what ended lately, by whom, since when, and the state of each clause. */
export default async function Passes({ params, searchParams }: Props) {
  const { slug } = await params;
  const cursor = first((await searchParams).cursor);
  const path = `/c/${slug}/passes`;
  const { container, lock, page, grid, collaboration } = await load(path, async (db, who) => {
    const [container, lock, page, collaboration] = await Promise.all([
      readContainer(db, slug, who),
      readLock(db, slug, who),
      readPasses(db, slug, who, { limit: LIMIT, cursor }),
      readCollaboration(db, slug, who),
    ]);
    const grid = await findGrid(db, slug, who);
    return { container, lock, page, grid, collaboration };
  });
  const who = await viewer();
  const leads = lock.badge === 'HELD' && lock.holder?.id === who?.id;
  const works = lock.badge === 'HELD' && collaboration.blocks.some((b) => b.state === 'open' && b.assignee.id === who?.id);
  const latest = new Map<string, string>();
  for (const pass of page.items) if (pass.state === 'completed' && !latest.has(pass.arrow)) latest.set(pass.arrow, pass.id);
  const running = page.items.filter((p) => p.state === 'running');
  const ended = page.items.filter((p) => p.state !== 'running');
  return (
    <ContainerFrame container={{ ...container, ...lock }}>
      {grid && (leads || works) && !container.archivedAt && (
        <Section title="Start a pass" id="start" aside={<ProjectStatus project={grid.project} />}>
          <StartForm slug={slug} grant={lock.grant} arrows={grid.grid.arrows} statuses={new Map(grid.arrows.map((a) => [a.id, a.status]))} />
        </Section>
      )}
      <Section title="Running" id="running" flush aside={`${running.length} here`}>
        {running.length === 0 ? (
          <Empty title="Nothing runs" icon={Play}>
            {grid ? (
              'The lead, or whoever has an open block, starts a pass of an arrow; its role is then busy in its context until the pass ends.'
            ) : (
              <>
                There is no{' '}
                <Link href={`/c/${slug}/grid`} className="link">
                  grid
                </Link>{' '}
                yet.
              </>
            )}
          </Empty>
        ) : (
          <ul aria-label="Running passes" className="divide-y divide-line">
            {running.map((pass) => (
              <PassCard key={pass.id} slug={slug} pass={pass} who={who} leads={leads} grant={lock.grant} late={false} />
            ))}
          </ul>
        )}
      </Section>
      {ended.length > 0 && (
        <Section title="Ended" id="ended" flush>
          <ul aria-label="Ended passes" className="divide-y divide-line">
            {ended.map((pass) => (
              <PassCard key={pass.id} slug={slug} pass={pass} who={who} leads={leads} grant={lock.grant} late={latest.get(pass.arrow) === pass.id} />
            ))}
          </ul>
        </Section>
      )}
      <Pagination first={cursor ? path : null} next={page.next && withQuery(path, { cursor: page.next })} />
    </ContainerFrame>
  );
}
