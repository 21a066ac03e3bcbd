import { Field, SelectField } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import type { Lease } from '@/lib/collaboration/read';
import { identifierOf } from '@/lib/register/identifier';
import type { PrincipalRef } from '@/lib/roles';
import { assign } from './actions';

type Props = { slug: string; grant: number; workers: PrincipalRef[]; leases: Lease[]; prefix: string };

/** B-1: gives out a block of work. */
export function AssignForm({ slug, grant, workers, leases, prefix }: Props) {
  const active = leases.filter((l) => l.state === 'active');
  return (
    <Form
      action={assign}
      label="Assign a block"
      hidden={{ slug, grant }}
      keep={`block.${slug}.${grant}`}
      labels={{ title: 'Title', description: 'Description', assignee: 'Assignee', leaseId: 'Lease' }}
    >
      <p className="font-medium">Assign a block</p>
      <Field name="title" label="Title" required maxLength={200} />
      <TextArea name="description" label="Description" optional rows={3} hint="Markdown." />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField name="assignee" label="Assignee" options={workers.map((w) => ({ value: w.id, label: w.name }))} />
        {active.length > 0 && (
          <SelectField
            name="leaseId"
            label="Lease"
            optional
            options={[
              { value: '', label: 'none' },
              ...active.map((l) => ({ value: l.id, label: `${identifierOf(prefix, l.from)} to ${identifierOf(prefix, l.through)}, ${l.to.name}` })),
            ]}
          />
        )}
      </div>
      <Submit command="Assign a block">Assign</Submit>
    </Form>
  );
}
