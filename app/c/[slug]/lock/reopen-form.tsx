import { Field } from '@/components/field';
import { Form } from '@/components/form';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import type { LockView } from '@/lib/lock-page/read';
import { reopenLock } from './actions';

const LIFT = 1000;

/** LP-4: for operators, after this database was put back from a copy. */
export function ReopenForm({ slug, lock }: { slug: string; lock: LockView }) {
  return (
    <Section title="After a restore" id="reopen" intro="For operators. If this database was put back from a copy, grants given since are unknown to it. Lift the next grant above all of them.">
      <details>
        <summary className="w-fit cursor-pointer font-medium">Lift the next grant</summary>
        <div className="mt-4">
          <Form action={reopenLock} label="Lift the next grant" base={lock.revision} hidden={{ slug }} keep={`reopen.${slug}`} labels={{ nextGrant: 'Next grant', reason: 'Reason' }}>
            <Field name="nextGrant" label="Next grant" type="number" min={lock.nextGrant + 1} required defaultValue={lock.nextGrant + LIFT} hint={`Above ${lock.nextGrant}, and above every grant on record.`} />
            <TextArea name="reason" label="Reason" required maxLength={1000} rows={2} />
            <Submit variant="plain">Lift the next grant</Submit>
          </Form>
        </div>
      </details>
    </Section>
  );
}
