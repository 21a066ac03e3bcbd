import { Anchor, Search as SearchIcon } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Follow } from '@/components/live/follow';
import { LiveBadge, LiveCautionMark } from '@/components/live/live-badge';
import { LiveMark } from '@/components/live/live-mark';
import { Empty } from '@/components/empty';
import { PageHead } from '@/components/page-head';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { ProjectStatus } from '@/components/project-status';
import { ServerClock } from '@/components/server-clock';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { readContainers, type ContainerView } from '@/lib/containers/read';
import { readBoardVersion, readSnapshots } from '@/lib/live/snapshot';
import { BADGES, type Badge as BadgeName } from '@/lib/lock-page/badge';
import { faceOf } from './support/face';
import { first, load, withQuery, type Search } from './support/load';
import { viewer } from './support/viewer';

// A layout's template reaches the pages below it, not this one.
export const metadata: Metadata = { title: { absolute: 'Board · Holdfast' } };

const PAGE_SIZE = 50;

const COLUMNS = [
  { key: 'title', label: 'Container', lead: true },
  { key: 'badge', label: 'Lock' },
  { key: 'holder', label: 'Holder' },
  { key: 'since', label: 'Since' },
  { key: 'until', label: 'Until' },
  { key: 'beat', label: 'Last beat' },
  { key: 'waiting', label: 'Waiting', align: 'end' as const },
];

function rowOf(container: ContainerView) {
  const { lock, slug, title } = container;
  return {
    id: container.id,
    cells: {
      title: (
        <div className="min-w-0">
          <Link href={`/c/${slug}`} className="link font-medium">
            <bdi>{title}</bdi>
          </Link>
          {container.archivedAt && <span className="ml-2 text-[0.875rem] text-ink-faint">archived</span>}
          {container.project && (
            <p className="mt-0.5 text-[0.8125rem] text-ink-faint">
              <ProjectStatus project={container.project} />
            </p>
          )}
          {lock.holder && lock.reason && <p dir="auto" className="mt-0.5 text-[0.875rem] break-words text-ink-soft">{lock.reason}</p>}
        </div>
      ),
      badge: (
        <span className="inline-flex flex-wrap items-center gap-2">
          <LiveBadge made={faceOf(container)} />
          <LiveCautionMark made={faceOf(container)} />
        </span>
      ),
      holder: lock.holder && <Principal principal={lock.holder} />,
      since: lock.holder && lock.grantedAt && <Time at={lock.grantedAt} />,
      until: lock.holder && lock.expiresAt && <Time at={lock.expiresAt} />,
      beat: lock.holder && lock.lastBeatAt && <Time at={lock.lastBeatAt} />,
      waiting: lock.waiting > 0 && <span className="tabular-nums">{lock.waiting}</span>,
    },
  };
}

/** The board: every container that the viewer may read. */
export default async function Board({ searchParams }: { searchParams: Search }) {
  const query = await searchParams;
  const q = first(query.q)?.slice(0, 200);
  const badge = BADGES.find((b): b is BadgeName => b === first(query.badge));
  const cursor = first(query.cursor);
  const archived = first(query.archived) === 'yes';
  const { items, next, seen, version } = await load('/', async (db, who) => {
    const list = () => readContainers(db, who, { q, badge, archived }, { limit: PAGE_SIZE, cursor });
    // Versions before what they are versions of: whatever changes in between is news to the page.
    const board = await readBoardVersion(db);
    const snapshots = await readSnapshots(db, (await list()).items.map((c) => c.id));
    const { items, next } = await list();
    return { items, next, version: board, seen: snapshots.map(({ slug, face, versions }) => ({ slug, now: face.now, versions })) };
  });
  const who = await viewer();
  const filtered = Boolean(q || badge || archived);
  return (
    <>
      <PageHead
        title="Board"
        badge={<LiveMark />}
        intro={who ? 'Every container, who holds its lock, and who waits.' : 'The public containers. Sign in to see the others.'}
        actions={
          who?.role === 'operator' && (
            <Link href="/new" className="button button-primary">
              New container
            </Link>
          )
        }
      />
      {items[0] && <ServerClock now={items[0].now} />}
      <Follow seen={seen} board={version} />
      <form role="search" aria-label="Containers" className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-60">
          <label htmlFor="q" className="mb-1 block text-[0.875rem] font-medium">
            Search
          </label>
          <input id="q" name="q" type="search" defaultValue={q} maxLength={200} placeholder="Title, slug or description" className="input" />
        </div>
        <div>
          <label htmlFor="badge" className="mb-1 block text-[0.875rem] font-medium">
            Lock
          </label>
          <select id="badge" name="badge" defaultValue={badge ?? ''} className="input">
            <option value="">Any state</option>
            {BADGES.map((b) => (
              <option key={b} value={b}>
                {b}
              </option>
            ))}
          </select>
        </div>
        <label className="flex h-11 items-center gap-2 text-[0.9375rem]">
          <input type="checkbox" name="archived" value="yes" defaultChecked={archived} className="size-4" />
          Archived too
        </label>
        <button type="submit" className="button">
          <SearchIcon aria-hidden className="size-4" />
          Filter
        </button>
        {filtered && (
          <Link href="/" className="button button-quiet">
            Clear
          </Link>
        )}
      </form>
      {items.length === 0 ? (
        <div className="card">
          <Empty title={filtered ? 'No container matches' : 'No containers yet'} icon={Anchor}>
            {filtered
              ? 'Try another word, or any state.'
              : who
                ? 'A container is a shared workspace with one lock. An operator makes the first one here or over the API.'
                : 'None is public. Sign in to see those that are not.'}
          </Empty>
        </div>
      ) : (
        <div className="card min-w-0">
          <Table caption="Containers" columns={COLUMNS} rows={items.map(rowOf)} />
        </div>
      )}
      <Pagination
        first={cursor ? withQuery('/', { q, badge, archived: archived ? 'yes' : undefined }) : null}
        next={next && withQuery('/', { q, badge, archived: archived ? 'yes' : undefined, cursor: next })}
        firstText="From the start"
        nextText="More"
      />
    </>
  );
}
