import { ClipboardList, Hash } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { BlockList } from '@/components/block-list';
import { Empty } from '@/components/empty';
import { LeaseTable } from '@/components/lease-table';
import { Markdown } from '@/components/markdown';
import { NotesForm } from '@/components/notes-form';
import { Queue } from '@/components/queue';
import { Section } from '@/components/section';
import { readCollaboration } from '@/lib/collaboration/read';
import { readContainer } from '@/lib/containers/read';
import { readLock } from '@/lib/lock-page/read';
import { readWorkers } from '@/lib/principals/workers';
import { load } from '../../../support/load';
import { viewer } from '../../../support/viewer';
import { ContainerFrame } from '../frame';
import { mark, saveCollaborationNotes, withdrawPetition } from './actions';
import { AssignForm } from './assign-form';
import { LeaseForm } from './lease-form';
import { PastPetitions } from '@/components/past-petitions';
import { PetitionForm } from './petition-form';

type Props = { params: Promise<{ slug: string }> };

export const metadata: Metadata = { title: 'Collaboration' };

/** The collaboration page: petitions, blocks, leases and notes (sections 4 and 5). */
export default async function CollaborationPage({ params }: Props) {
  const { slug } = await params;
  const path = `/c/${slug}/collaboration`;
  const [container, lock, page] = await load(path, (db, who) =>
    Promise.all([readContainer(db, slug, who), readLock(db, slug, who), readCollaboration(db, slug, who)]),
  );
  const who = await viewer();
  const leads = lock.badge === 'HELD' && lock.holder?.id === who?.id && !container.archivedAt;
  const mayWrite = who !== undefined && who.role !== 'reader' && !container.archivedAt;
  const waits = lock.queue.some((q) => q.principal.id === who?.id);
  const workers = leads ? await load(path, (db) => readWorkers(db)) : [];
  return (
    <ContainerFrame container={{ ...container, ...lock }}>
      <div className="columns-even">
        <div className="side">
          <Section
            title="Petitions"
            id="petitions"
            flush
            aside={
              <Link href={`${path}/history`} className="link">
                Revision {page.revision}, history
              </Link>
            }
            intro="The queue is the order of these petitions."
          >
            <Queue slug={slug} lock={lock} viewer={who} withdraw={withdrawPetition} />
            {mayWrite && !waits && !leads && (
              <div className="border-t border-line px-4 py-5 sm:px-5">
                <PetitionForm slug={slug} />
              </div>
            )}
            <PastPetitions petitions={page.petitions.filter((p) => p.state !== 'waiting')} />
          </Section>
          <Section title="Blocks" id="blocks" flush intro="Pieces of work that the lead gives out. They end with its grant.">
            {page.blocks.length === 0 ? (
              <Empty title="No blocks" icon={ClipboardList}>
                The lead names a piece of work and who does it; whoever does it marks it done or returned.
              </Empty>
            ) : (
              <BlockList
                slug={slug}
                blocks={page.blocks}
                leases={page.leases}
                prefix={page.prefix}
                viewerId={who?.id}
                leads={leads}
                mark={mark}
              />
            )}
            {leads && (
              <div className="border-t border-line px-4 py-5 sm:px-5">
                <AssignForm slug={slug} grant={lock.grant} workers={workers} leases={page.leases} prefix={page.prefix} />
              </div>
            )}
          </Section>
        </div>
        <div className="side">
          <Section
            title="Leases"
            id="leases"
            flush
            intro={`Ranges of identifiers (${page.prefix}-…) that the lead handed out. What lands is spent for ever; the rest is free again when the lease ends.`}
          >
            {page.leases.length === 0 ? (
              <Empty title="No leases" icon={Hash}>
                New entries need identifiers, and only the lead gives them out.
              </Empty>
            ) : (
              <LeaseTable leases={page.leases} prefix={page.prefix} />
            )}
            {leads && (
              <div className="border-t border-line px-4 py-5 sm:px-5">
                <LeaseForm slug={slug} grant={lock.grant} workers={workers} prefix={page.prefix} me={who!.id} />
              </div>
            )}
          </Section>
          <Section title="Notes" id="notes">
            {page.notes ? (
              <Markdown text={page.notes} />
            ) : (
              <p className="text-ink-soft">No notes yet. Any coworker can write here, whoever holds the lock.</p>
            )}
            {mayWrite && (
              <NotesForm
                action={saveCollaborationNotes}
                slug={slug}
                revision={page.revision}
                notes={page.notes}
                keep={`collaboration-notes.${slug}`}
              />
            )}
          </Section>
        </div>
      </div>
    </ContainerFrame>
  );
}
