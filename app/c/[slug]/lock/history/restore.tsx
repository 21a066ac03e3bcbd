import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { saveLockNotes } from '../actions';

/** LP-9: restoring an old revision restores its notes only. */
export function RestoreLockNotes({ slug, base, revision, notes }: { slug: string; base: number; revision: number; notes: string }) {
  return (
    <Form action={saveLockNotes} label={`Restore the notes of revision ${revision}`} base={base} hidden={{ slug, notes, summary: `Restored the notes of revision ${revision}` }}>
      <Submit variant="plain" small>
        Restore these notes
      </Submit>
    </Form>
  );
}
