import { ClauseStatus } from '@/components/clause-status';
import { Form } from '@/components/form';
import { Principal } from '@/components/principal';
import { Submit } from '@/components/submit';
import { Time } from '@/components/time';
import { isVerdict, movesFrom, type Pass, type PassClause } from '@/lib/engine';
import type { Caller } from '@/lib/principals/record';
import { abort, complete } from './actions';
import { MoveForm } from './move-form';

type Props = {
  slug: string;
  pass: Pass;
  who: Caller | undefined;
  leads: boolean;
  grant: number;
  /** The latest completed pass of its arrow: a verdict is taken on it still (E-3). */
  late: boolean;
};

/** One pass: who, since when, its clauses, and what the viewer can do with it. */
export function PassCard({ slug, pass, who, leads, grant, late }: Props) {
  const running = pass.state === 'running';
  const produces = who !== undefined && (leads || pass.starter.id === who.id);
  const mayComplete = running && produces && pass.clauses.every((c) => c.status !== 'pending' && c.status !== 'running');
  return (
    <li className="px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-mono text-[0.9375rem] font-medium break-all">{pass.arrow}</span>
            <span className="rounded bg-sunken px-1.5 font-mono text-[0.75rem] leading-5 text-ink-soft">
              {pass.state}
              {pass.reason && `: ${pass.reason}`}
            </span>
          </p>
          <p className="mt-1 flex flex-wrap items-baseline gap-x-3 text-[0.875rem] text-ink-soft">
            <Principal principal={pass.starter} />
            <span>
              {pass.role} in {pass.context}
            </span>
            <span>grid v{pass.gridVersion}</span>
            <span>
              grant <span className="font-mono">{pass.grant}</span>
            </span>
            <span>
              {running ? 'since' : 'began'} <Time at={pass.startedAt} />
            </span>
            {pass.endedAt && (
              <span>
                ended <Time at={pass.endedAt} />
              </span>
            )}
          </p>
        </div>
        {running && (produces || who?.role === 'operator') && (
          <div className="flex flex-wrap gap-2">
            {mayComplete && (
              <Form action={complete} label={`Complete the pass of ${pass.arrow}`} hidden={{ slug, pass: pass.id, grant }} inline>
                <Submit small>Complete</Submit>
              </Form>
            )}
            {(leads || who?.role === 'operator') && (
              <Form action={abort} label={`Abort the pass of ${pass.arrow}`} hidden={{ slug, pass: pass.id, reason: leads ? 'manual-stop' : 'operator-interrupt' }} inline>
                <Submit variant="plain" small>
                  Abort
                </Submit>
              </Form>
            )}
          </div>
        )}
      </div>
      <ul aria-label={`Clauses of ${pass.arrow}`} className="mt-3 space-y-2">
        {pass.clauses.map((clause) => {
          const moves = movesFor(clause, { who, produces, running, late });
          return (
            <li key={clause.id} className="rounded-lg border border-line px-3 py-2">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
                <p className="min-w-0 break-words">
                  <span className="font-mono text-[0.8125rem] text-ink-soft">{clause.id}</span> {clause.concept}
                  {clause.type === 'attested' && <span className="text-[0.875rem] text-ink-soft"> (attested)</span>}
                </p>
                <ClauseStatus status={clause.status} />
              </div>
              {clause.reason && <p className="mt-0.5 text-[0.875rem] break-words text-ink-soft">{clause.reason}</p>}
              {moves.length > 0 && <MoveForm slug={slug} passId={pass.id} clause={clause} moves={moves} verdict={!produces} />}
            </li>
          );
        })}
      </ul>
    </li>
  );
}

/** The moves that the viewer may make on a clause (E-1 to E-3): a producer's, or an operator's verdicts. */
function movesFor(clause: PassClause, { who, produces, running, late }: { who: Caller | undefined; produces: boolean; running: boolean; late: boolean }) {
  if (!who) return [];
  const legal = movesFrom(clause.status);
  if (produces) return running ? legal.filter((to) => !isVerdict(clause.type, to)) : [];
  return who.role === 'operator' && (running || late) ? legal.filter((to) => isVerdict(clause.type, to)) : [];
}
