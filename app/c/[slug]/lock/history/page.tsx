import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { ChangeSection } from '@/components/change-section';
import { Diff } from '@/components/diff';
import { FieldChanges } from '@/components/field-changes';
import { Pagination } from '@/components/pagination';
import { RevisionList } from '@/components/revision-list';
import { Section } from '@/components/section';
import { readContainer } from '@/lib/containers/read';
import { readGrantRevision } from '@/lib/lock-page/grants';
import { readLockRevision, readLockRevisions } from '@/lib/lock-page/revisions';
import { first, load, positive, withQuery, type Search } from '../../../../support/load';
import { viewer } from '../../../../support/viewer';
import { ContainerFrame } from '../../frame';
import { RestoreLockNotes } from './restore';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'History of the lock page' };

/** The lock page's revisions and what each changed (LP-2, W-1). */
export default async function LockHistory({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const cursor = first(query.cursor);
  const path = `/c/${slug}/lock/history`;
  const grant = positive(query.grant);
  const { container, page, after, before } = await load(path, async (db, who) => {
    const shown = positive(query.revision) ?? (grant && (await readGrantRevision(db, slug, who, grant)));
    const [container, page] = await Promise.all([readContainer(db, slug, who), readLockRevisions(db, slug, who, { limit: 50, cursor })]);
    return {
      container,
      page,
      after: shown ? await readLockRevision(db, slug, who, shown) : undefined,
      before: shown && shown > 1 ? await readLockRevision(db, slug, who, shown - 1) : undefined,
    };
  });
  const who = await viewer();
  return (
    <ContainerFrame container={container}>
      {after && (
        <ChangeSection revision={after.revision} summary={after.summary} close={withQuery(path, { cursor })}>
          {after.reason && <p className="break-words">Reason: <bdi>{after.reason}</bdi></p>}
          <FieldChanges before={before?.fields} after={after.fields} />
          {before?.fields.notes !== after.fields.notes && <Diff label="Notes" before={before?.fields.notes ?? ''} after={after.fields.notes} />}
          {who && who.role !== 'reader' && after.fields.notes !== '' && (
            <RestoreLockNotes slug={slug} base={container.lock.revision} revision={after.revision} notes={after.fields.notes} />
          )}
        </ChangeSection>
      )}
      <Section
        title="History"
        id="history"
        flush
        aside={
          <Link href={`/c/${slug}/lock`} className="link">
            The lock page
          </Link>
        }
      >
        <RevisionList
          label="Revisions of the lock page"
          items={page.items.map((r) => ({
            revision: r.revision,
            kind: r.kind,
            author: r.author,
            at: r.at,
            summary: r.summary,
            ...(r.reason ? { reason: r.reason } : {}),
            href: withQuery(path, { revision: r.revision, cursor }),
          }))}
        />
      </Section>
      <Pagination first={cursor ? path : null} next={page.next && withQuery(path, { cursor: page.next })} />
    </ContainerFrame>
  );
}
