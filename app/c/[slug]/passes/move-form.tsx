import { Field, SelectField } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import type { ClauseStatus, PassClause } from '@/lib/engine';
import { move } from './actions';

type Props = { slug: string; passId: string; clause: PassClause; moves: ClauseStatus[]; verdict: boolean };

/** E-1: moves a clause; for an operator, E-2: gives a verdict. */
export function MoveForm({ slug, passId, clause, moves, verdict }: Props) {
  return (
    <details className="mt-1">
      <summary className="w-fit cursor-pointer text-[0.875rem] font-medium">{verdict ? 'Give a verdict' : 'Move'}</summary>
      <div className="mt-3 mb-1">
        <Form
          action={move}
          label={verdict ? `Verdict on ${clause.id}` : `Move ${clause.id}`}
          hidden={{ slug, pass: passId, clause: clause.id }}
          labels={{ to: verdict ? 'Verdict' : 'To', reason: 'Reason' }}
        >
          <div className="grid gap-4 sm:grid-cols-[12rem_1fr]">
            <SelectField name="to" label={verdict ? 'Verdict' : 'To'} options={moves.map((to) => ({ value: to, label: to }))} />
            <Field name="reason" label="Reason" optional maxLength={1000} hint="Needed where a clause is left unevaluated." />
          </div>
          <Submit small>{verdict ? 'Give the verdict' : 'Move'}</Submit>
        </Form>
      </div>
    </details>
  );
}
