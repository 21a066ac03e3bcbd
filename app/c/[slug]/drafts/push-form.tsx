import { CheckboxField } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import type { Lease } from '@/lib/collaboration/read';
import type { Draft } from '@/lib/drafts/read';
import { push } from './actions';

type Props = { slug: string; grant: number; drafts: Draft[]; leases: Lease[]; prefix: string; idempotencyKey: string; pushes: number };

/** the push. A double click lands once, because the form carries its idempotency key. */
export function PushForm({ slug, grant, drafts, leases, prefix, idempotencyKey, pushes }: Props) {
  return (
    <Form action={push} label="Push" hidden={{ slug, grant }} idempotencyKey={idempotencyKey} keep={`push.${slug}.${grant}`} labels={{ message: 'Message', draft: 'Drafts', keepLeases: 'Leases to keep' }}>
      {drafts.length > 0 ? (
        <fieldset className="space-y-2">
          <legend className="mb-1 text-[0.9375rem] font-medium">Drafts to land</legend>
          {drafts.map((d) => (
            <CheckboxField key={d.identifier} name="draft" value={`${d.identifier}@${d.revision}`} defaultChecked label={`${d.identifier} ${d.title}`} />
          ))}
        </fieldset>
      ) : (
        <p className="text-ink-soft">
          There is no draft. A push with no entries says that there was nothing to land{pushes === 0 ? ', and lets you release' : ''}.
        </p>
      )}
      {drafts.length > 0 && leases.length > 0 && (
        <fieldset className="space-y-2">
          <legend className="mb-1 text-[0.9375rem] font-medium">Leases to keep (optional)</legend>
          {leases.map((l) => (
            <CheckboxField key={l.id} name="keepLeases" value={l.id} label={`${prefix}-${l.from} to ${prefix}-${l.through}, ${l.to.name}`} />
          ))}
        </fieldset>
      )}
      <TextArea name="message" label="Message" optional rows={2} maxLength={2000} hint="What this push brings. It stands in the register." />
      <Submit pendingText="Pushing…" command={drafts.length > 0 ? 'Push the drafts' : 'Push nothing'}>{drafts.length > 0 ? 'Push' : 'Push nothing'}</Submit>
    </Form>
  );
}
