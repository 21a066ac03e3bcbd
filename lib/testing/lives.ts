/** What tests of recovery share: this process as one server instance after another, stopped or as if killed. */
import type { Db } from '../db/pool';
import { startRecovery, type Recovering } from '../recovery/run';
import type { World } from './world';

export type Lives = {
  /** Begins a new instance, without waiting for its recovery; one that runs is stopped before. */
  begin(): Promise<Recovering>;
  /** Begins a new instance and waits until it has recovered. */
  boot(): Promise<Recovering>;
  /** Ends the present instance in good order. */
  stop(): Promise<void>;
  /** Ends the present instance and leaves the record as a killed process leaves it. Gives its id. */
  crash(): Promise<string>;
};

/** This process's lives on a world's database. Stop the last in `afterAll`. */
export function livesOn({ db, url }: Pick<World, 'db' | 'url'>): Lives {
  let present: Recovering | undefined;
  const stop = async () => {
    await present?.close();
    present = undefined;
  };
  const begin = async () => {
    await stop();
    return (present = await startRecovery(db, url));
  };
  return {
    begin,
    async boot() {
      const life = await begin();
      await life.done;
      return life;
    },
    stop,
    async crash() {
      const { instance } = present!;
      await stop();
      await asIfKilled(db, instance);
      return instance;
    },
  };
}

/** Leaves an instance's record as if its process were gone: not ended, and its pid another's. */
export async function asIfKilled(db: Db, instance: string): Promise<void> {
  await db.query(`UPDATE instance SET ended_at = NULL, ended_by = NULL, process_start = 'long ago' WHERE id = $1`, [instance]);
}

/** Asks again until the answer is yes. @throws Error when it is not within `seconds` */
export async function within(seconds: number, ask: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await ask())) {
    if (performance.now() > end) throw new Error(`not within ${seconds} s`);
    await new Promise((next) => setTimeout(next, 25));
  }
}
