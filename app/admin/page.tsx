import { HeartPulse } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Countdown } from '@/components/countdown';
import { Empty } from '@/components/empty';
import { Evidence } from '@/components/evidence';
import { Follow } from '@/components/live/follow';
import { LiveBadge } from '@/components/live/live-badge';
import { NeedsRole } from '@/components/needs-role';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { Rescue } from '@/components/rescue';
import { Section } from '@/components/section';
import { ServerClock } from '@/components/server-clock';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { readContainers, readHeld, type ContainerView } from '@/lib/containers/read';
import { readBoardVersion, readSnapshots } from '@/lib/live/snapshot';
import { readEvidence } from '@/lib/lock-page/evidence';
import { faceOf } from '../support/face';
import { first, load, withQuery, type Search } from '../support/load';
import { requireRole } from '../support/viewer';
import { ClearForm } from '../c/[slug]/lock/clear-form';
import { AdminHead } from './admin-nav';

export const metadata: Metadata = { title: 'Silent locks' };

/** As many locks as are listed that are held now. */
const HELD = 50;

/** Every lock whose holder is silent, with what is known of it and the form that clears it (LP-7); then those that are held, and when each could be. */
export default async function SilentLocks({ searchParams }: { searchParams: Search }) {
  if (!(await requireRole('operator', '/admin'))) return <NeedsRole role="operator" />;
  const cursor = first((await searchParams).cursor);
  const { silent, next, held, seen, board } = await load('/admin', async (db, who) => {
    const list = () => Promise.all([readContainers(db, who, { badge: 'HOLDER SILENT' }, { limit: 20, cursor }), readHeld(db, who, HELD)]);
    // Versions before what they are versions of.
    const board = await readBoardVersion(db);
    const [before, heldBefore] = await list();
    const seen = (await readSnapshots(db, [...before.items, ...heldBefore].map((c) => c.id))).map(({ slug, face, versions }) => ({ slug, now: face.now, versions }));
    const [{ items, next }, held] = await list();
    const evidence = await Promise.all(items.map(({ slug }) => readEvidence(db, slug, who)));
    return { silent: items.map((container, i) => ({ container, evidence: evidence[i] })), next, held, seen, board };
  });
  const now = silent[0]?.container.now ?? held[0]?.now;
  return (
    <>
      <AdminHead at="/admin" />
      {now && <ServerClock now={now} />}
      <Follow seen={seen} board={board} />
      <Rescue />
      <div className="flex flex-col gap-6">
        {silent.length === 0 && (
          <div className="card">
            <Empty title="No lock is silent" icon={HeartPulse}>
              A holder that runs past its expiry is listed here. Only then can its lock be cleared, with a reason that everybody sees.
            </Empty>
          </div>
        )}
        {silent.map(({ container, evidence }) => (
          <Section
            key={container.id}
            id={`silent-${container.slug}`}
            title={
              <>
                {container.title} <span className="font-mono text-[0.875rem] font-normal text-ink-soft">{container.slug}</span>
              </>
            }
            aside={
              <span className="flex flex-wrap items-center gap-3">
                <LiveBadge made={faceOf(container)} />
                <Link href={`/c/${container.slug}/lock`} className="link">
                  Lock page
                </Link>
              </span>
            }
          >
            {container.lock.reason && <p className="mb-3 break-words text-ink-soft">Held because: <bdi>{container.lock.reason}</bdi></p>}
            {evidence && (
              <div className="mb-5 border-b border-line pb-5">
                <Evidence slug={container.slug} evidence={evidence} />
              </div>
            )}
            <ClearForm slug={container.slug} lock={{ ...container.lock, now: container.now }} />
          </Section>
        ))}
        <Pagination first={cursor ? '/admin' : null} next={next && withQuery('/admin', { cursor: next })} firstText="From the start" nextText="More" />
        <Section title="Not silent yet" id="held" flush intro="Locks that are held now, the soonest expiry first. Each could be cleared from then on, if no heartbeat comes before.">
          {held.length === 0 ? <p className="px-4 pb-5 text-ink-soft sm:px-5">Nobody holds a lock.</p> : <HeldLocks held={held} />}
        </Section>
      </div>
    </>
  );
}

function HeldLocks({ held }: { held: ContainerView[] }) {
  return (
    <Table
      caption="Locks that are held"
      columns={[
        { key: 'container', label: 'Container', lead: true },
        { key: 'holder', label: 'Holder' },
        { key: 'beat', label: 'Last heartbeat' },
        { key: 'waiting', label: 'Waiting', align: 'end' },
        { key: 'clearable', label: 'Could be cleared from' },
      ]}
      rows={held.map((container) => ({
        id: container.id,
        cells: {
          container: (
            <>
              <Link href={`/c/${container.slug}/lock`} className="link font-medium">
                {container.title}
              </Link>{' '}
              <span className="font-mono text-[0.8125rem] text-ink-faint">{container.slug}</span>
            </>
          ),
          holder: <Principal principal={container.lock.holder} />,
          beat: container.lock.lastBeatAt && <Time at={container.lock.lastBeatAt} />,
          waiting: String(container.lock.waiting),
          clearable: container.lock.expiresAt && (
            <>
              <Time at={container.lock.expiresAt} relative={false} />, in <Countdown until={container.lock.expiresAt} now={container.now} over="a moment" />
            </>
          ),
        },
      }))}
    />
  );
}
