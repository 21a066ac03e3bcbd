import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import { askForLock } from './actions';

/** asks for the lock, with a reason. */
export function PetitionForm({ slug }: { slug: string }) {
  return (
    <Form action={askForLock} label="Petition" hidden={{ slug }} keep={`petition.${slug}`} labels={{ reason: 'Reason' }}>
      <TextArea name="reason" label="Reason" required maxLength={500} rows={2} hint="What you need the lock for. The holder and everybody in the queue see it." />
      <Submit command="Ask for the lock">Ask for the lock</Submit>
    </Form>
  );
}
