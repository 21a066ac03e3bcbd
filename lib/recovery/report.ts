/** BR-5: what a recovery found and did, written down while it goes on, so that it survives a crash in the middle. */
import type { Finding } from '../amendment';
import type { Step } from '../db/phase';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { Instant } from '../time';

export type StepReport = { name: Step; startedAt: Instant; endedAt: Instant; found: Finding[] };

const NOW = statement('SELECT clock_timestamp() AS now');
const NEXT = statement(`SELECT nextval(pg_get_serial_sequence('recovery', 'id')) AS id`);
const KEEP = statement(`
  INSERT INTO recovery (id, instance_id, at, steps) VALUES ($1, $2, clock_timestamp(), $3) ON CONFLICT (id) DO UPDATE SET steps = excluded.steps`);

const clock = async (q: Queryable): Promise<Instant> => (await row<{ now: Instant }>(q, NOW))!.now;

/** The report of one recovery by one instance. */
export class Report {
  readonly steps: StepReport[] = [];
  private id: number | undefined;

  constructor(private readonly instance: string) {}

  /** How much was found. */
  get found(): number {
    return this.steps.reduce((sum, step) => sum + step.found.length, 0);
  }

  async begin(q: Queryable, name: Step): Promise<StepReport> {
    const startedAt = await clock(q);
    const step: StepReport = { name, startedAt, endedAt: startedAt, found: [] };
    this.steps.push(step);
    return step;
  }

  async end(q: Queryable, step: StepReport): Promise<void> {
    step.endedAt = await clock(q);
  }

  /**
   * Writes down what was found so far. In the transaction of what is found just now, that too:
   * the caller adds it to its step once it is committed.
   */
  async keep(q: Queryable, step?: StepReport, more: Finding[] = []): Promise<void> {
    this.id ??= (await row<{ id: number }>(q, NEXT))!.id;
    const steps = this.steps.map((s) => (s === step ? { ...s, found: [...s.found, ...more] } : s));
    await rows(q, KEEP, [this.id, this.instance, JSON.stringify(steps)]);
  }
}
