import { FileText, Search as SearchIcon } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { BadgeSnippet } from '@/components/badge-snippet';
import { Empty } from '@/components/empty';
import { Facts } from '@/components/facts';
import { GrantTimeline } from '@/components/grant-timeline';
import { Markdown } from '@/components/markdown';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { ProjectStatus } from '@/components/project-status';
import { Section } from '@/components/section';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { readContainer } from '@/lib/containers/read';
import { readEntries } from '@/lib/copy/read';
import { readGrants } from '@/lib/lock-page/grants';
import { first, load, withQuery, type Search } from '../../support/load';
import { publicAddress } from '../../support/request';
import { viewer } from '../../support/viewer';
import { ContainerFrame } from './frame';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const { title } = await load(`/c/${slug}`, (db, who) => readContainer(db, slug, who));
  return { title };
}

const COLUMNS = [
  { key: 'identifier', label: 'Identifier' },
  { key: 'title', label: 'Title', lead: true },
  { key: 'author', label: 'Author' },
  { key: 'landed', label: 'Landed' },
  { key: 'landing', label: 'Landing', align: 'end' as const },
];

/** A container: badge and caution, description, and the copy's entries. */
export default async function Overview({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const q = first(query.q)?.slice(0, 500);
  const cursor = first(query.cursor);
  const path = `/c/${slug}`;
  const [container, entries, grants] = await load(path, (db, who) =>
    Promise.all([readContainer(db, slug, who), readEntries(db, slug, who, { q, cursor, limit: 50 }), readGrants(db, slug, who, { days: 30 })]),
  );
  const who = await viewer();
  const { lock } = container;
  return (
    <ContainerFrame
      container={container}
      actions={
        who?.role === 'operator' && (
          <Link href={`${path}/settings`} data-command="Settings of this container" className="button">
            Settings
          </Link>
        )
      }
    >
      <div className="columns-wide">
        <Section
          title="About"
          id="about"
          aside={
            <Link href={`${path}/settings/history`} className="link">
              History
            </Link>
          }
        >
          {container.description ? <Markdown text={container.description} /> : <p className="text-ink-soft">No description yet.</p>}
        </Section>
        <div className="side">
          <Section title="Now" id="now">
            <Facts
              facts={[
                {
                  label: lock.holder ? 'Holder' : 'Lock',
                  value: lock.holder ? (
                    <>
                      <Principal principal={lock.holder} />{' '}
                      {lock.reason && (
                        <span className="text-ink-soft">
                          · <bdi>{lock.reason}</bdi>
                        </span>
                      )}
                    </>
                  ) : (
                    'nobody holds it'
                  ),
                },
                ...(lock.holder && lock.grantedAt && lock.expiresAt
                  ? [
                      { label: 'Since', value: <Time at={lock.grantedAt} /> },
                      { label: 'Until', value: <Time at={lock.expiresAt} /> },
                    ]
                  : [{ label: 'Available since', value: lock.availableSince && <Time at={lock.availableSince} /> }]),
                { label: 'Waiting', value: lock.waiting },
                ...(container.project ? [{ label: 'Project', value: <ProjectStatus project={container.project} /> }] : []),
                { label: 'Identifiers', value: <span className="font-mono">{container.prefix}-…</span> },
              ]}
            />
          </Section>
          <Section title="Badge for your README" id="badge-picture" intro="A picture of the lock’s badge, as it is at that moment.">
            <BadgeSnippet slug={slug} address={await publicAddress()} isPublic={container.public} />
          </Section>
        </div>
        <Section title="The copy" id="copy" flush intro="The latest revision of everything that has landed.">
          <form role="search" aria-label="Entries" className="flex flex-wrap gap-3 px-4 pb-4 sm:px-5">
            <input
              aria-label="Search entries"
              name="q"
              type="search"
              defaultValue={q}
              maxLength={500}
              placeholder="Words, “a phrase”, or an identifier"
              className="input min-w-0 grow basis-60"
            />
            <button type="submit" className="button">
              <SearchIcon aria-hidden className="size-4" />
              Search
            </button>
            {q && (
              <Link href={path} className="button button-quiet">
                Clear
              </Link>
            )}
          </form>
          {entries.items.length === 0 ? (
            <Empty title={q ? 'Nothing matches' : 'Nothing has landed yet'} icon={FileText}>
              {q ? 'Search looks at titles, bodies and identifiers.' : 'Entries appear here once a lead has pushed them.'}
            </Empty>
          ) : (
            <Table
              caption="Entries"
              columns={COLUMNS}
              rows={entries.items.map((e) => ({
                id: e.identifier,
                cells: {
                  identifier: <span className="font-mono text-[0.875rem]">{e.identifier}</span>,
                  title: (
                    <Link href={`${path}/entries/${e.identifier}`} className="link font-medium">
                      <bdi>{e.title}</bdi>
                    </Link>
                  ),
                  author: <Principal principal={e.author} />,
                  landed: <Time at={e.at} />,
                  landing: (
                    <Link href={`${path}/register/${e.landing}`} className="link tabular-nums">
                      {e.landing}
                    </Link>
                  ),
                },
              }))}
            />
          )}
        </Section>
        <Pagination
          first={cursor ? withQuery(path, { q }) : null}
          next={entries.next && withQuery(path, { q, cursor: entries.next })}
          firstText="From the start"
          nextText="More"
        />
        <Section
          title="The last 30 days"
          id="grants"
          aside={
            <Link href={`${path}/lock`} className="link">
              The lock page
            </Link>
          }
        >
          <GrantTimeline slug={slug} history={grants} compact />
        </Section>
      </div>
    </ContainerFrame>
  );
}
