import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { AuditLines } from '@/components/audit-lines';
import { Evidence } from '@/components/evidence';
import { GrantTimeline } from '@/components/grant-timeline';
import { LockCycle } from '@/components/lock-cycle';
import { LockFacts } from '@/components/lock-facts';
import { Markdown } from '@/components/markdown';
import { NotesForm } from '@/components/notes-form';
import { Queue } from '@/components/queue';
import { Section } from '@/components/section';
import { readContainer } from '@/lib/containers/read';
import { readEvidence } from '@/lib/lock-page/evidence';
import { readGrants } from '@/lib/lock-page/grants';
import { readLock } from '@/lib/lock-page/read';
import { load } from '../../../support/load';
import { viewer } from '../../../support/viewer';
import { withdrawPetition } from '../collaboration/actions';
import { ContainerFrame } from '../frame';
import { saveLockNotes } from './actions';
import { LockActions } from './lock-actions';
import { ReopenForm } from './reopen-form';

type Props = { params: Promise<{ slug: string }> };

export const metadata: Metadata = { title: 'Lock' };

/** The lock page: its fields, what one can do now, the queue, notes and audit lines (section 3). */
export default async function LockPage({ params }: Props) {
  const { slug } = await params;
  const path = `/c/${slug}/lock`;
  const [container, lock, grants] = await load(path, (db, who) =>
    Promise.all([readContainer(db, slug, who), readLock(db, slug, who), readGrants(db, slug, who, { days: 30 })]),
  );
  const evidence = lock.badge === 'HOLDER SILENT' ? await load(path, (db, who) => readEvidence(db, slug, who)) : null;
  const who = await viewer();
  const holds = lock.badge === 'HELD' && lock.holder?.id === who?.id;
  const mayWrite = who !== undefined && who.role !== 'reader' && !container.archivedAt;
  const mayEditNotes = mayWrite && (lock.badge !== 'HELD' || holds);
  return (
    <ContainerFrame columns container={{ ...container, ...lock }}>
      <Section
        title="Lock"
        id="lock"
        aside={
          <Link href={`${path}/history`} className="link">
            Revision {lock.revision}, history
          </Link>
        }
      >
        <LockFacts lock={lock} />
      </Section>
      {evidence && (
        <Section title="What is known of the silence" id="evidence">
          <Evidence slug={slug} evidence={evidence} />
        </Section>
      )}
      <Section title={holds ? 'You hold this lock' : 'What you can do'} id="act">
        <LockActions slug={slug} lock={lock} who={who} archived={container.archivedAt !== null} />
      </Section>
      <div className="side">
        <Section
          title="Queue"
          id="queue"
          flush
          aside={lock.queue.length === 0 ? 'nobody waits' : `${lock.queue.length} waiting`}
          intro="In the order of their petitions. Each has a turn of its own; a turn that has begun stays until someone acquires."
        >
          <Queue slug={slug} lock={lock} viewer={who} withdraw={withdrawPetition} />
        </Section>
        <Section title="Notes" id="notes">
          {lock.notes ? <Markdown text={lock.notes} /> : <p className="text-ink-soft">No notes yet. They say what the next holder should know.</p>}
          {mayEditNotes && <NotesForm action={saveLockNotes} slug={slug} revision={lock.revision} notes={lock.notes} keep={`lock-notes.${slug}`} />}
        </Section>
      </div>
      <Section title="The life of a lock" id="life" intro="What it can become from each state, and by what.">
        <LockCycle badge={lock.badge} />
      </Section>
      <Section title="The last 30 days" id="grants">
        <GrantTimeline slug={slug} history={grants} />
      </Section>
      <Section title="Audit" id="audit" flush intro="Each time that an operator, or Holdfast itself, stepped in.">
        <AuditLines lines={lock.audit} empty="Nobody has had to step in." />
      </Section>
      {who?.role === 'operator' && !container.archivedAt && <ReopenForm slug={slug} lock={lock} />}
    </ContainerFrame>
  );
}
