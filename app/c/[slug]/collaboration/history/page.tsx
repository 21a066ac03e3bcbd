import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { notFound } from 'next/navigation';
import { ChangeSection } from '@/components/change-section';
import { Diff } from '@/components/diff';
import { Form } from '@/components/form';
import { Pagination } from '@/components/pagination';
import { RevisionList } from '@/components/revision-list';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { readCollaboration, readCollaborationRevision, readCollaborationRevisions } from '@/lib/collaboration/read';
import { readContainer } from '@/lib/containers/read';
import { first, load, positive, withQuery, type Search } from '../../../../support/load';
import { viewer } from '../../../../support/viewer';
import { ContainerFrame } from '../../frame';
import { saveCollaborationNotes } from '../actions';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'History of the collaboration page' };

/** The collaboration page's revisions and what each changed (W-1). */
export default async function CollaborationHistory({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const cursor = first(query.cursor);
  const path = `/c/${slug}/collaboration/history`;
  const shown = positive(query.revision);
  const { container, revision, page, after, before } = await load(path, async (db, who) => {
    const [container, collaboration, page] = await Promise.all([
      readContainer(db, slug, who),
      readCollaboration(db, slug, who),
      readCollaborationRevisions(db, slug, who, { limit: 50, cursor }),
    ]);
    return {
      container,
      revision: collaboration.revision,
      page,
      after: shown ? await readCollaborationRevision(db, slug, who, shown) : undefined,
      before: shown && shown > 1 ? await readCollaborationRevision(db, slug, who, shown - 1) : undefined,
    };
  });
  if (shown && !after) notFound();
  const who = await viewer();
  const changed = after && before?.notes !== after.notes;
  return (
    <ContainerFrame container={container}>
      {after && (
        <ChangeSection revision={after.revision} summary={after.summary} close={withQuery(path, { cursor })}>
          {changed ? <Diff label="Notes" before={before?.notes ?? ''} after={after.notes} /> : <p className="text-ink-soft">This edit did not change the notes.</p>}
          {who && who.role !== 'reader' && !container.archivedAt && after.notes !== '' && (
            <Form
              action={saveCollaborationNotes}
              label={`Restore the notes of revision ${after.revision}`}
              base={revision}
              hidden={{ slug, notes: after.notes, summary: `Restored the notes of revision ${after.revision}` }}
            >
              <Submit variant="plain" small>
                Restore these notes
              </Submit>
            </Form>
          )}
        </ChangeSection>
      )}
      <Section
        title="History"
        id="history"
        flush
        aside={
          <Link href={`/c/${slug}/collaboration`} className="link">
            The collaboration page
          </Link>
        }
      >
        <RevisionList
          label="Revisions of the collaboration page"
          items={page.items.map((r) => ({ revision: r.revision, kind: r.kind, author: r.author, at: r.at, summary: r.summary, href: withQuery(path, { revision: r.revision, cursor }) }))}
        />
      </Section>
      <Pagination first={cursor ? path : null} next={page.next && withQuery(path, { cursor: page.next })} />
    </ContainerFrame>
  );
}
