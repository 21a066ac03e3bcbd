import { Field } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import type { Draft, DraftRevision } from '@/lib/drafts/read';
import { save } from './actions';

type Props = { slug: string; grant: number; draft?: Draft; suggestion?: string; restore?: DraftRevision };

/** a draft of one entry, new or as it stands; or an old revision of it, to be saved again. */
export function DraftForm({ slug, grant, draft, suggestion, restore }: Props) {
  const labels = { identifier: 'Identifier', title: 'Title', body: 'Body' };
  if (draft && restore) {
    return (
      <Form
        action={save}
        label={`Restore revision ${restore.revision}`}
        base={draft.revision}
        hidden={{ slug, grant, identifier: draft.identifier, title: restore.title, body: restore.body }}
        labels={labels}
      >
        <Submit variant="plain" small>
          Restore revision {restore.revision}
        </Submit>
      </Form>
    );
  }
  const identity: Record<string, string> = draft ? { identifier: draft.identifier } : {};
  return (
    <Form
      action={save}
      label={draft ? `Draft of ${draft.identifier}` : 'New draft'}
      base={draft?.revision ?? 0}
      hidden={{ slug, grant, ...identity }}
      keep={`draft.${slug}.${grant}.${draft?.identifier ?? 'new'}`}
      labels={labels}
    >
      {!draft && <Field name="identifier" label="Identifier" required defaultValue={suggestion} spellCheck={false} autoCapitalize="characters" hint="From a lease of yours for a new entry; that of a landed entry to amend it." />}
      <Field name="title" label="Title" required maxLength={200} defaultValue={draft?.title} />
      <TextArea name="body" label="Body" mono rows={12} defaultValue={draft?.body} hint="Markdown, up to 256 KiB." />
      <Submit command="Save the draft">Save the draft</Submit>
    </Form>
  );
}
