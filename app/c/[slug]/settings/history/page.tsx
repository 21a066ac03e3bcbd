import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ChangeSection } from '@/components/change-section';
import { Diff } from '@/components/diff';
import { Form } from '@/components/form';
import { Pagination } from '@/components/pagination';
import { RevisionList } from '@/components/revision-list';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { readContainer, readContainerRevision, readContainerRevisions, type ContainerRevision } from '@/lib/containers/read';
import { first, load, positive, withQuery, type Search } from '../../../../support/load';
import { viewer } from '../../../../support/viewer';
import { ContainerFrame } from '../../frame';
import { change } from '../actions';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'History of the container' };

const settingsOf = (fields: ContainerRevision['fields'] | undefined): string =>
  fields
    ? [
        `Title: ${fields.title}`,
        `Slug: ${fields.slug}`,
        `Prefix: ${fields.prefix}`,
        `Public: ${fields.public ? 'yes' : 'no'}`,
        `Term: ${fields.termSeconds} s`,
        `Window: ${fields.windowSeconds} s`,
      ].join('\n')
    : '';

/** What a container was called, and how it was described and set (W-1). */
export default async function ContainerHistory({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const cursor = first(query.cursor);
  const path = `/c/${slug}/settings/history`;
  const shown = positive(query.revision);
  const { container, page, after, before } = await load(path, async (db, who) => {
    const [container, page] = await Promise.all([readContainer(db, slug, who), readContainerRevisions(db, slug, who, { limit: 50, cursor })]);
    return {
      container,
      page,
      after: shown ? await readContainerRevision(db, container.id, shown) : undefined,
      before: shown && shown > 1 ? await readContainerRevision(db, container.id, shown - 1) : undefined,
    };
  });
  if (shown && !after) notFound();
  const who = await viewer();
  return (
    <ContainerFrame container={container}>
      {after && (
        <ChangeSection revision={after.revision} summary={after.summary} close={withQuery(path, { cursor })}>
          <Diff label="Settings" before={settingsOf(before?.fields)} after={settingsOf(after.fields)} />
          <Diff label="Description" before={before?.fields.description ?? ''} after={after.fields.description} />
          {who?.role === 'operator' && !container.archivedAt && (
            <Form
              action={change}
              label={`Restore the description of revision ${after.revision}`}
              base={container.revision}
              hidden={{ container: slug, description: after.fields.description, public: String(container.public), summary: `Restored the description of revision ${after.revision}` }}
            >
              <Submit variant="plain" small>
                Restore this description
              </Submit>
            </Form>
          )}
        </ChangeSection>
      )}
      <Section title="History" id="history" flush>
        <RevisionList
          label="Revisions of the container"
          items={page.items.map((r) => ({ revision: r.revision, kind: 'settings', author: r.author, at: r.at, summary: r.summary, href: withQuery(path, { revision: r.revision, cursor }) }))}
        />
      </Section>
      <Pagination first={cursor ? path : null} next={page.next && withQuery(path, { cursor: page.next })} />
    </ContainerFrame>
  );
}
