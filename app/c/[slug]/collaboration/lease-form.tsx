import { Field, SelectField } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import type { PrincipalRef } from '@/lib/roles';
import { leaseIdentifiers } from './actions';

/** L-2: "the next n", or a range. */
export function LeaseForm({ slug, grant, workers, prefix, me }: { slug: string; grant: number; workers: PrincipalRef[]; prefix: string; me: string }) {
  return (
    <Form action={leaseIdentifiers} label="Lease identifiers" hidden={{ slug, grant, prefix }} labels={{ to: 'To', count: 'The next', from: 'From', through: 'Through' }}>
      <p className="font-medium">Lease identifiers</p>
      <SelectField name="to" label="To" defaultValue={me} options={workers.map((w) => ({ value: w.id, label: w.id === me ? `${w.name} (you)` : w.name }))} />
      <div className="grid items-end gap-4 sm:grid-cols-3">
        <Field name="count" label="The next" type="number" min={1} max={100_000} optional hint={`So many ${prefix} numbers, or else a range:`} />
        <Field name="from" label="From" type="number" min={1} optional hint="The first number of a range." />
        <Field name="through" label="Through" type="number" min={1} optional hint="The last number of the range." />
      </div>
      <Submit command="Lease identifiers">Lease</Submit>
    </Form>
  );
}
