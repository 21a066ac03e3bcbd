import { Link } from '@/components/link';
import type { ReactNode } from 'react';
import { Countdown } from '@/components/countdown';
import { Field } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { Time } from '@/components/time';
import { Waiting } from '@/components/waiting';
import type { LockView } from '@/lib/lock-page/read';
import type { Caller } from '@/lib/principals/record';
import { PetitionForm } from '../collaboration/petition-form';
import { acquireLock, beat, releaseLock } from './actions';
import { ClearForm } from './clear-form';

type Props = { slug: string; lock: LockView; who: Caller | undefined; archived: boolean };

/** What the viewer can do with the lock now, and what it has to wait for. */
export function LockActions({ slug, lock, who, archived }: Props) {
  if (archived) return <p className="text-ink-soft">An archived container is not worked in any more.</p>;
  if (!who) {
    return (
      <p>
        <Link href={`/sign-in?to=/c/${slug}/lock`} className="link">
          Sign in
        </Link>{' '}
        to ask for the lock.
      </p>
    );
  }
  if (who.role === 'reader') return <p className="text-ink-soft">Readers read. To ask for the lock one must be a coworker: an operator can change your role.</p>;
  const held = lock.badge === 'HELD';
  return (
    <div className="flex flex-col gap-6">
      {held && lock.holder!.id === who.id ? <Holding slug={slug} lock={lock} /> : held ? <SomebodyHolds slug={slug} lock={lock} who={who} /> : <Free slug={slug} lock={lock} who={who} />}
      {who.role === 'operator' && lock.holder && (
        <Divided>
          <ClearForm key={lock.grant} slug={slug} lock={lock} />
        </Divided>
      )}
    </div>
  );
}

const Divided = ({ children }: { children: ReactNode }) => <div className="border-t border-line pt-5">{children}</div>;

function Holding({ slug, lock }: { slug: string; lock: LockView }) {
  const atCap = lock.expiresAt === lock.capAt;
  return (
    <div className="flex flex-col gap-4">
      <p>
        Your grant is <span className="font-mono font-medium">{lock.grant}</span> and ends in{' '}
        <strong>
          <Countdown until={lock.expiresAt!} now={lock.now} over="it has ended" />
        </strong>
        . {atCap ? 'It is at its 24 h cap: push and release before then.' : 'A heartbeat extends it, up to 24 h from its beginning.'}
      </p>
      <Waiting queue={lock.queue} />
      <div className="flex flex-wrap gap-3">
        <Form action={beat} label="Heartbeat" base={lock.revision} hidden={{ slug, grant: lock.grant }}>
          <Submit variant="plain" command="Heartbeat">
            Heartbeat
          </Submit>
        </Form>
        <Link href={`/c/${slug}/drafts`} className={lock.pushes === 0 ? 'button button-primary' : 'button'}>
          Write and push drafts
        </Link>
        <Link href={`/c/${slug}/collaboration`} className="button">
          Lease identifiers, assign blocks
        </Link>
        <Form action={releaseLock} label="Release" gives={slug} base={lock.revision} hidden={{ slug, grant: lock.grant }}>
          <Submit variant={lock.pushes === 0 ? 'plain' : 'primary'} command="Release the lock">
            Release
          </Submit>
        </Form>
      </div>
      <p className="text-[0.9375rem] text-ink-soft">
        {lock.pushes === 0 ? 'A release needs a push first; one with no entries says that there was nothing to land.' : `Pushed under this grant: ${lock.pushes}. You can release.`}
      </p>
    </div>
  );
}

const placeOf = (lock: LockView, who: Caller) => lock.queue.find((q) => q.principal.id === who.id);

function SomebodyHolds({ slug, lock, who }: { slug: string; lock: LockView; who: Caller }) {
  const place = placeOf(lock, who);
  if (place) {
    return (
      <p>
        You are number <strong>{place.place}</strong> in the queue. If {lock.holder!.name} keeps the lock to its end, your turn begins <Time at={place.turnAt} />; a release brings it forward, a heartbeat puts it back.
      </p>
    );
  }
  return (
    <div>
      <p className="mb-4">{lock.holder!.name} holds the lock. Ask for it: your place in the queue is kept, and {lock.holder!.name} sees your reason.</p>
      <PetitionForm slug={slug} />
    </div>
  );
}

function Free({ slug, lock, who }: { slug: string; lock: LockView; who: Caller }) {
  const place = placeOf(lock, who);
  const turnAt = place?.turnAt ?? lock.othersTurnAt;
  const silent = lock.badge === 'HOLDER SILENT';
  if (turnAt > lock.now) {
    return (
      <div className="flex flex-col gap-4">
        <p>
          {place ? `You are number ${place.place} in the queue.` : 'Others asked first.'} Your turn begins in{' '}
          <strong>
            <Countdown until={turnAt} now={lock.now} over="it has begun" />
          </strong>
          , <Time at={turnAt} />.
        </p>
        {!place && <PetitionForm slug={slug} />}
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <p>
        {silent && `${lock.holder!.name} has run past the expiry of grant ${lock.grant}: nothing it still holds can land. `}
        {place ? `It is your turn, since you petitioned “${place.reason}”.` : 'Nobody is before you: you may acquire.'}{' '}
        {lock.queue.length > 0 && place && (
          <>
            You have until <Time at={place.turnEndsAt} /> alone; after that the next waiter may, too.
          </>
        )}
      </p>
      <Form action={acquireLock} label="Acquire" base={lock.revision} hidden={{ slug }} keep={`acquire.${slug}`} labels={{ reason: 'Reason' }}>
        <Field name="reason" label="Reason" optional maxLength={500} defaultValue={place?.reason} hint="Everybody sees why you hold it." />
        <Submit command="Acquire the lock">Acquire the lock</Submit>
      </Form>
    </div>
  );
}
