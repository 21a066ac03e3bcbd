/**
 * whose turn it is. Pure.
 *
 * Slots lie end to end in queue order from T0, each one window long, over every petition that
 * was waiting at T0 or came since; one withdrawn ends its slot early, or has none when it was
 * withdrawn before its slot began. So no promised window is ever shortened.
 */
import { plusSeconds, type Instant } from '../time';

/** What the queue knows of a petition, in queue order. `endedAt` is set once it was withdrawn. */
export type Waiter = { id: string; principalId: string; at: Instant; endedAt: Instant | null };

/** A waiter's slot: its turn begins at `begin` and stays until someone acquires; `end` is when the next may. */
export type Slot<W extends Waiter> = { waiter: W; begin: Instant; end: Instant };

export type Turns<W extends Waiter> = {
  /** The slots of those still waiting, in queue order. */
  slots: Slot<W>[];
  /** When the turn of a coworker who is not waiting begins. */
  othersFrom: Instant;
};

const later = (a: Instant, b: Instant): Instant => (a > b ? a : b);
const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);

/**
 * Lays the slots.
 * @param t0 when the lock became, or will become, available
 * @param windowSeconds the acquisition window, in seconds
 */
export function layTurns<W extends Waiter>(t0: Instant, windowSeconds: number, queue: readonly W[]): Turns<W> {
  const slots: Slot<W>[] = [];
  let end = t0;
  for (const waiter of queue) {
    const begin = later(end, waiter.at);
    if (waiter.endedAt === null) {
      end = plusSeconds(begin, windowSeconds);
      slots.push({ waiter, begin, end });
    } else if (waiter.endedAt > begin) {
      end = earlier(plusSeconds(begin, windowSeconds), waiter.endedAt);
    }
  }
  return { slots, othersFrom: end };
}

/** When the turn of `principalId` begins: its slot's begin, or behind all slots. */
export const turnOf = <W extends Waiter>(turns: Turns<W>, principalId: string): Instant =>
  turns.slots.find((s) => s.waiter.principalId === principalId)?.begin ?? turns.othersFrom;

/** Whose slot runs at `now`, else the first waiter; undefined when nobody waits. */
export const runningTurn = <W extends Waiter>(turns: Turns<W>, now: Instant): Slot<W> | undefined =>
  turns.slots.find((s) => s.begin <= now && now < s.end) ?? turns.slots[0];

