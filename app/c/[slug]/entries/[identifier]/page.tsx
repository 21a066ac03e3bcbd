import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Diff } from '@/components/diff';
import { Facts } from '@/components/facts';
import { Markdown } from '@/components/markdown';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { RevisionList } from '@/components/revision-list';
import { Section } from '@/components/section';
import { Time } from '@/components/time';
import { readContainer } from '@/lib/containers/read';
import { readEntry, readEntryRevision, readEntryRevisions } from '@/lib/copy/read';
import { first, load, positive, withQuery, type Search } from '../../../../support/load';
import { ContainerFrame } from '../../frame';

type Props = { params: Promise<{ slug: string; identifier: string }>; searchParams: Search };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { identifier } = await params;
  return { title: identifier };
}

/** One entry of the copy, with its history and the difference between any two revisions. */
export default async function EntryPage({ params, searchParams }: Props) {
  const { slug, identifier } = await params;
  const query = await searchParams;
  const path = `/c/${slug}/entries/${identifier}`;
  const cursor = first(query.cursor);
  const { container, entry, revisions, before, after } = await load(withQuery(path, {}), async (db, who) => {
    const [container, entry, revisions] = await Promise.all([
      readContainer(db, slug, who),
      readEntry(db, slug, who, identifier),
      readEntryRevisions(db, slug, who, identifier, { limit: 20, cursor }),
    ]);
    const to = positive(query.to) ?? entry.revision;
    const from = positive(query.from) ?? to - 1;
    const compared = query.to !== undefined || query.from !== undefined;
    return {
      container,
      entry,
      revisions,
      after: compared ? await readEntryRevision(db, slug, who, identifier, to) : undefined,
      before: compared && from > 0 ? await readEntryRevision(db, slug, who, identifier, from) : undefined,
    };
  });
  return (
    <ContainerFrame container={container}>
      <Section title={entry.title} id="entry" aside={<span className="font-mono">{entry.identifier}</span>}>
        {entry.body ? <Markdown text={entry.body} /> : <p className="text-ink-soft">This entry has no body.</p>}
        <div className="mt-5 border-t border-line pt-4">
          <Facts
            facts={[
              { label: 'Author', value: <Principal principal={entry.author} /> },
              { label: 'Landed', value: <Time at={entry.at} /> },
              { label: 'Revision', value: entry.revision },
              {
                label: 'Landing',
                value: (
                  <Link href={`/c/${slug}/register/${entry.landing}`} className="link">
                    {entry.landing}
                  </Link>
                ),
              },
              { label: 'Grant', value: <span className="font-mono">{entry.grant}</span> },
            ]}
          />
        </div>
      </Section>
      {after && (
        <Section
          title="What changed"
          id="difference"
          aside={
            <Link href={path} className="link">
              Close
            </Link>
          }
        >
          <div className="flex flex-col gap-4">
            {before?.title !== after.title && <Diff label="Title" before={before?.title ?? ''} after={after.title} />}
            <Diff label={before ? `Body, revision ${before.revision} to ${after.revision}` : `Body, revision ${after.revision}`} before={before?.body ?? ''} after={after.body} />
          </div>
        </Section>
      )}
      <Section title="History" id="history" flush>
        {entry.revision > 1 && (
          <form className="flex flex-wrap items-end gap-3 px-4 pb-4 sm:px-5" aria-label="Compare">
            {(['from', 'to'] as const).map((name) => (
              <label key={name} className="text-[0.875rem] font-medium">
                {name === 'from' ? 'From revision' : 'To revision'}
                <input
                  name={name}
                  type="number"
                  min={1}
                  max={entry.revision}
                  required
                  defaultValue={name === 'from' ? (before?.revision ?? entry.revision - 1) : (after?.revision ?? entry.revision)}
                  className="input mt-1 block w-28"
                />
              </label>
            ))}
            <button type="submit" className="button">
              Compare
            </button>
          </form>
        )}
        <RevisionList
          label="Revisions of this entry"
          items={revisions.items.map((r) => ({
            revision: r.revision,
            kind: `landing ${r.landing}`,
            author: r.author,
            at: r.at,
            summary: r.title,
            href: withQuery(path, { to: r.revision }),
          }))}
        />
      </Section>
      <Pagination first={cursor ? path : null} next={revisions.next && withQuery(path, { cursor: revisions.next })} />
    </ContainerFrame>
  );
}
