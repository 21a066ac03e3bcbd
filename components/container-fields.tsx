import type { ContainerView } from '../lib/containers/read';
import { CheckboxField, Field } from './field';
import { TextArea } from './text-area';

type Settings = Pick<ContainerView, 'slug' | 'title' | 'description' | 'prefix' | 'termSeconds' | 'windowSeconds' | 'public'>;

const DAY_SECONDS = 86_400;

/** The fields of a container, new or as it stands. */
export function ContainerFields({ container }: { container?: Settings }) {
  return (
    <>
      <Field name="title" label="Title" required maxLength={200} defaultValue={container?.title} />
      <Field name="slug" label="Slug" required maxLength={64} defaultValue={container?.slug} spellCheck={false} autoCapitalize="none" hint="Its address: lower-case letters, digits and single hyphens." />
      <TextArea name="description" label="Description" optional mono rows={6} defaultValue={container?.description} hint="Markdown." />
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          name="prefix"
          label="Prefix"
          optional={!container}
          maxLength={8}
          defaultValue={container?.prefix}
          spellCheck={false}
          autoCapitalize="characters"
          hint="Of its identifiers: 2 to 8 capital letters. Fixed once some are leased."
        />
        <Field name="termSeconds" label="Term, in seconds" type="number" min={1} max={DAY_SECONDS} optional={!container} defaultValue={container?.termSeconds ?? 14_400} hint="How far an acquisition or a heartbeat reaches. From the next grant on." />
        <Field name="windowSeconds" label="Window, in seconds" type="number" min={1} max={DAY_SECONDS} optional={!container} defaultValue={container?.windowSeconds ?? 900} hint="How long each waiter’s turn is its own. From the next handover on." />
      </div>
      <CheckboxField name="public" label="Public" defaultChecked={container?.public} hint="Anyone can read it without signing in." />
    </>
  );
}
