import type { FormAction } from './action-result';
import { Field } from './field';
import { Form } from './form';
import { Submit } from './submit';
import { TextArea } from './text-area';

type Props = {
  action: FormAction;
  slug: string;
  revision: number;
  notes: string;
  /** Names this form among all pages, for text that is kept until it is saved. */
  keep: string;
};

/** The notes of a page, opened to be edited (W-1, W-3). */
export function NotesForm({ action, slug, revision, notes, keep }: Props) {
  return (
    <details className="mt-5 border-t border-line pt-4">
      <summary className="w-fit cursor-pointer font-medium">Edit the notes</summary>
      <div className="mt-4">
        <Form action={action} label="Notes" base={revision} hidden={{ slug }} keep={keep} labels={{ notes: 'Notes', summary: 'Summary' }}>
          <TextArea name="notes" label="Notes" mono rows={8} defaultValue={notes} hint="Markdown." />
          <Field name="summary" label="Summary" optional maxLength={200} hint="What you changed, for the history." />
          <Submit>Save the notes</Submit>
        </Form>
      </div>
    </details>
  );
}
