import { SelectField } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import type { ArrowStatus } from '@/lib/engine';
import type { GridArrow } from '@/lib/grid/document';
import { start } from './actions';

type Props = { slug: string; grant: number; arrows: GridArrow[]; statuses: Map<string, ArrowStatus> };

/** N-1: what is required and who is at work is judged when it is sent; a refusal says which. */
export function StartForm({ slug, grant, arrows, statuses }: Props) {
  return (
    <Form action={start} label="Start a pass" hidden={{ slug, grant }} labels={{ arrow: 'Arrow' }}>
      <SelectField
        name="arrow"
        label="Arrow"
        options={arrows.map((a) => ({ value: a.id, label: `${a.id}: ${a.from} → ${a.to} in ${a.context}, ${statuses.get(a.id) ?? 'unevaluated'}` }))}
        hint="It starts when all that it requires is complete and its role is free in its context."
      />
      <Submit command="Start a pass">Start</Submit>
    </Form>
  );
}
