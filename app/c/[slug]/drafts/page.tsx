import { randomUUID } from 'node:crypto';
import { PenLine } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Diff } from '@/components/diff';
import { Empty } from '@/components/empty';
import { RevisionList } from '@/components/revision-list';
import { Section } from '@/components/section';
import { readCollaboration } from '@/lib/collaboration/read';
import { readContainer } from '@/lib/containers/read';
import { readDraft, readDraftRevision, readDraftRevisions, readDrafts } from '@/lib/drafts/read';
import { readLock } from '@/lib/lock-page/read';
import { first, load, positive, withQuery, type Search } from '../../../support/load';
import { requireViewer } from '../../../support/viewer';
import { ContainerFrame } from '../frame';
import { DraftForm } from './draft-form';
import { DraftList } from './draft-list';
import { KeptDrafts } from './kept-drafts';
import { PushForm } from './push-form';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Drafts' };

const LIMIT = 200;

/** The viewer's drafts, and the push that lands them. */
export default async function Drafts({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const path = `/c/${slug}/drafts`;
  const who = await requireViewer(path);
  const editing = first(query.edit);
  const editGrant = positive(query.grant);
  const shownRevision = positive(query.revision);
  const { container, lock, collaboration, drafts, draft, history, old } = await load(path, async (db) => {
    const [container, lock, collaboration, drafts] = await Promise.all([
      readContainer(db, slug, who),
      readLock(db, slug, who),
      readCollaboration(db, slug, who),
      readDrafts(db, slug, who, { limit: LIMIT }),
    ]);
    const grant = editGrant ?? lock.grant;
    const draft = editing ? await readDraft(db, slug, who, grant, editing) : undefined;
    return {
      container,
      lock,
      collaboration,
      drafts: drafts.items,
      draft: draft?.state === 'open' ? draft : undefined,
      history: draft ? await readDraftRevisions(db, slug, who, grant, editing!, { limit: 50 }) : undefined,
      old: draft && shownRevision ? await readDraftRevision(db, slug, who, grant, editing!, shownRevision) : undefined,
    };
  });
  const leads = lock.badge === 'HELD' && lock.holder?.id === who.id && !container.archivedAt;
  const open = drafts.filter((d) => leads && d.grant === lock.grant);
  const kept = drafts.filter((d) => !leads || d.grant !== lock.grant);
  const leases = collaboration.leases.filter((l) => l.state === 'active');
  const suggestion = suggest(
    container.prefix,
    leases,
    open.map((d) => d.identifier),
  );
  return (
    <ContainerFrame container={{ ...container, ...lock }}>
      {leads ? (
        <div className="columns-wide">
          <Section
            title={draft ? `Draft of ${draft.identifier}` : 'New draft'}
            id="draft"
            aside={
              draft && (
                <Link href={path} className="link">
                  New draft
                </Link>
              )
            }
          >
            {!draft && leases.length === 0 && (
              <p className="mb-4 text-[0.9375rem] text-ink-soft">
                A new entry needs an identifier from a lease.{' '}
                <Link href={`/c/${slug}/collaboration#leases`} className="link">
                  Lease some first
                </Link>
                , or amend an entry that has landed.
              </p>
            )}
            <DraftForm
              key={draft ? `${draft.identifier}.${draft.grant}` : 'new'}
              slug={slug}
              grant={lock.grant}
              draft={draft}
              suggestion={suggestion}
            />
          </Section>
          {draft && history && (
            <Section title="History of this draft" id="draft-history" flush>
              {old && (
                <div className="flex flex-col gap-4 px-4 pb-4 sm:px-5">
                  {old.title !== draft.title && (
                    <Diff label={`Title, revision ${old.revision} to now`} before={old.title} after={draft.title} />
                  )}
                  <Diff label={`Body, revision ${old.revision} to now`} before={old.body} after={draft.body} />
                  <DraftForm slug={slug} grant={lock.grant} draft={draft} restore={old} />
                </div>
              )}
              <RevisionList
                label="Revisions of this draft"
                items={history.items.map((r) => ({
                  revision: r.revision,
                  kind: 'draft',
                  author: r.author,
                  at: r.at,
                  summary: `${r.summary}: ${r.title}`,
                  href: withQuery(path, { edit: draft.identifier, grant: draft.grant, revision: r.revision }),
                }))}
              />
            </Section>
          )}
          <div className="side">
            <Section title="Drafts" id="drafts" flush aside={`${open.length} under grant ${lock.grant}`}>
              {open.length === 0 ? (
                <Empty title="No drafts" icon={PenLine}>
                  What you write is kept here, and lands when you push it.
                </Empty>
              ) : (
                <DraftList slug={slug} drafts={open} />
              )}
            </Section>
            <Section
              title="Push"
              id="push"
              intro="Everything ticked lands as one, whole or not at all. The leases are reclaimed, but for those that you keep."
            >
              <PushForm
                slug={slug}
                grant={lock.grant}
                drafts={open}
                leases={leases}
                prefix={container.prefix}
                idempotencyKey={randomUUID()}
                pushes={lock.pushes}
              />
            </Section>
          </div>
        </div>
      ) : (
        <Section title="Drafts" id="drafts" flush>
          <Empty title="Drafts belong to whoever holds the lock" icon={PenLine}>
            Acquire on the{' '}
            <Link href={`/c/${slug}/lock`} className="link">
              lock page
            </Link>
            , then write here and push.
          </Empty>
        </Section>
      )}
      {kept.length > 0 && <KeptDrafts slug={slug} drafts={kept} current={leads ? lock.grant : undefined} />}
    </ContainerFrame>
  );
}

/** The first leased identifier that has no draft yet. */
function suggest(prefix: string, leases: { from: number; through: number }[], drafted: string[]): string | undefined {
  const taken = new Set(drafted);
  for (const lease of leases) {
    for (let number = lease.from; number <= lease.through && number - lease.from <= taken.size; number++) {
      if (!taken.has(`${prefix}-${number}`)) return `${prefix}-${number}`;
    }
  }
  return undefined;
}
