import { Users } from 'lucide-react';
import type { LockView } from '../lib/lock-page/read';
import type { PrincipalRef, Role } from '../lib/roles';
import type { FormAction } from './action-result';
import { Countdown } from './countdown';
import { Empty } from './empty';
import { Form } from './form';
import { Principal } from './principal';
import { Submit } from './submit';
import { Time } from './time';

type Props = {
  slug: string;
  lock: Pick<LockView, 'queue' | 'now' | 'badge'>;
  viewer: (PrincipalRef & { role: Role }) | undefined;
  withdraw: FormAction;
};

/** Who waits, in what place, why, and when each one's turn begins. */
export function Queue({ slug, lock, viewer, withdraw }: Props) {
  if (lock.queue.length === 0) {
    return (
      <Empty title="Nobody waits" icon={Users}>
        A petition takes the next place here. When the lock is released, or its holder falls silent, the head of the queue has the first turn.
      </Empty>
    );
  }
  return (
    <ol aria-label="Queue" className="divide-y divide-line">
      {lock.queue.map((waiter) => {
        const mine = waiter.principal.id === viewer?.id;
        const begun = waiter.turnAt <= lock.now;
        return (
          <li key={waiter.petition} className="grid grid-cols-[2rem_minmax(0,1fr)] gap-x-3 px-4 py-3 sm:px-5">
            <span aria-hidden className="font-mono text-ink-faint">
              {waiter.place}
            </span>
            <div className="flex min-w-0 flex-wrap items-start justify-between gap-3">
              <div className="min-w-0">
                <p className="flex flex-wrap items-baseline gap-x-2">
                  <span className="sr-only">Place {waiter.place}: </span>
                  <Principal principal={waiter.principal} />
                  {mine && <span className="rounded bg-sunken px-1.5 text-[0.8125rem] font-medium">you</span>}
                </p>
                <p dir="auto" className="mt-0.5 break-words">{waiter.reason}</p>
                <p className="mt-1 text-[0.875rem] text-ink-soft">
                  {lock.badge === 'HELD' ? (
                    <>
                      turn from <Time at={waiter.turnAt} /> if the grant runs out
                    </>
                  ) : begun ? (
                    <>
                      turn since <Time at={waiter.turnAt} />
                      {waiter.turnEndsAt > lock.now && (
                        <>
                          , alone for <Countdown until={waiter.turnEndsAt} now={lock.now} over="no longer" />
                        </>
                      )}
                    </>
                  ) : (
                    <>
                      turn in <Countdown until={waiter.turnAt} now={lock.now} over="a moment" />
                    </>
                  )}
                  , waiting since <Time at={waiter.since} />
                </p>
              </div>
              {(mine || viewer?.role === 'operator') && (
                <Form action={withdraw} label={mine ? 'Withdraw your petition' : `Withdraw the petition of ${waiter.principal.name}`} hidden={{ slug, petition: waiter.petition }} inline>
                  <Submit variant="plain" small>
                    Withdraw
                  </Submit>
                </Form>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
