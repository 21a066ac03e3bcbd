import { Field } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import { saveCollaborationNotes } from './actions';

/** W-1: the collaboration page's notes. */
export function CollaborationNotesForm({ slug, revision, notes }: { slug: string; revision: number; notes: string }) {
  return (
    <details className="mt-5 border-t border-line pt-4">
      <summary className="w-fit cursor-pointer font-medium">Edit the notes</summary>
      <div className="mt-4">
        <Form action={saveCollaborationNotes} label="Notes" base={revision} hidden={{ slug }} keep={`collaboration-notes.${slug}`} labels={{ notes: 'Notes', summary: 'Summary' }}>
          <TextArea name="notes" label="Notes" mono rows={8} defaultValue={notes} hint="Markdown." />
          <Field name="summary" label="Summary" optional maxLength={200} hint="What you changed, for the history." />
          <Submit>Save the notes</Submit>
        </Form>
      </div>
    </details>
  );
}
