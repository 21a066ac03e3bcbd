import { GitPullRequestArrow } from 'lucide-react';
import type { Metadata } from 'next';
import { Empty } from '@/components/empty';
import { Link } from '@/components/link';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { Section } from '@/components/section';
import { Time } from '@/components/time';
import { readAmendments } from '@/lib/amendment';
import { readContainer } from '@/lib/containers/read';
import { gridYaml } from '@/lib/grid/parse';
import { readLock } from '@/lib/lock-page/read';
import { findGrid } from '@/lib/project/read';
import { first, load, withQuery, type Search } from '../../../support/load';
import { viewer } from '../../../support/viewer';
import { ContainerFrame } from '../frame';
import { AmendmentForm } from './amendment-form';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Amendments' };

/** The amendment queue, and what became of those before. */
export default async function Amendments({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const cursor = first(query.cursor);
  const path = `/c/${slug}/amendments`;
  const { container, lock, page, grid } = await load(path, async (db, who) => {
    const [container, lock, page] = await Promise.all([readContainer(db, slug, who), readLock(db, slug, who), readAmendments(db, slug, who, { limit: 50, cursor })]);
    const grid = await findGrid(db, slug, who);
    return { container, lock, page, grid };
  });
  const who = await viewer();
  const leads = lock.badge === 'HELD' && lock.holder?.id === who?.id;
  const mayAsk = (leads || who?.role === 'operator') && !container.archivedAt;
  const again = page.items.find((a) => a.id === first(query.again) && a.state === 'needs-rejustification' && a.author.id === who?.id);
  return (
    <ContainerFrame container={{ ...container, ...lock }}>
      <Section title="Amendments" id="amendments" flush intro="In the order in which they were asked for. One is committed at a time; one that overlaps a commit since its base is set aside, never merged in silence.">
        {page.items.length === 0 ? (
          <Empty title="No amendments" icon={GitPullRequestArrow}>
            {grid ? 'The lead, or an operator, asks for a change of the grid.' : 'There is no grid yet.'}
          </Empty>
        ) : (
          <ol aria-label="Amendments" className="divide-y divide-line">
            {page.items.map((amendment) => (
              <li key={amendment.id} className="grid grid-cols-[2.5rem_minmax(0,1fr)] gap-x-3 px-4 py-3 sm:px-5">
                <span aria-hidden className="font-mono text-ink-faint">
                  {amendment.place}
                </span>
                <div className="min-w-0">
                  <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <span className="sr-only">Place {amendment.place}: </span>
                    <span className="rounded bg-sunken px-1.5 font-mono text-[0.75rem] leading-5 text-ink-soft">{amendment.state}</span>
                    {amendment.version !== null && (
                      <Link href={withQuery(`/c/${slug}/grid`, { from: amendment.version - 1, to: amendment.version })} className="link">
                        version {amendment.version}
                      </Link>
                    )}
                    <span className="min-w-0 break-words">{amendment.rationale}</span>
                  </p>
                  {amendment.outcome && <p className="mt-1 text-[0.9375rem] break-words text-caution">{amendment.outcome}</p>}
                  <p className="mt-1 flex flex-wrap items-baseline gap-x-3 text-[0.875rem] text-ink-soft">
                    <Principal principal={amendment.author} />
                    <span>on version {amendment.baseVersion}</span>
                    {amendment.changes.length > 0 && <span className="break-words">{amendment.changes.map((c) => (c.section ? `${c.artifact} (${c.section})` : c.artifact)).join(', ')}</span>}
                    <Time at={amendment.at} />
                    {amendment.state === 'needs-rejustification' && amendment.author.id === who?.id && mayAsk && (
                      <Link href={withQuery(path, { again: amendment.id })} className="link">
                        Submit again
                      </Link>
                    )}
                  </p>
                </div>
              </li>
            ))}
          </ol>
        )}
      </Section>
      <Pagination first={cursor ? path : null} next={page.next && withQuery(path, { cursor: page.next })} />
      {mayAsk && grid && (
        <Section title={again ? `Submit amendment ${again.place} again` : 'Ask for an amendment'} id="ask">
          <AmendmentForm key={again?.id ?? 'new'} slug={slug} grant={leads ? lock.grant : undefined} version={grid.version} yaml={gridYaml(grid.grid)} again={again} />
        </Section>
      )}
    </ContainerFrame>
  );
}
