import { Field } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import type { Amendment } from '@/lib/amendment';
import { ask } from './actions';

type Props = { slug: string; grant: number | undefined; version: number; yaml: string; again?: Amendment };

/** changes are made to the grid as it stands; what differs from the base is what is committed. */
export function AmendmentForm({ slug, grant, version, yaml, again }: Props) {
  const hidden: Record<string, string | number> = { slug, baseVersion: version };
  if (grant !== undefined) hidden.grant = grant;
  if (again) hidden.amendment = again.id;
  return (
    <Form
      action={ask}
      label={again ? 'Submit the amendment again' : 'Ask for an amendment'}
      hidden={hidden}
      keep={`amendment.${slug}.${again?.id ?? 'new'}`}
      labels={{ changes: 'Changed artifacts', grid: 'Grid', rationale: 'Rationale', baseVersion: 'Base version' }}
    >
      <Field name="rationale" label="Rationale" required maxLength={2000} defaultValue={again?.rationale} />
      <TextArea
        name="changes"
        label="Changed artifacts"
        optional
        mono
        rows={3}
        defaultValue={again?.changes.map((c) => (c.section ? `${c.artifact}#${c.section}` : c.artifact)).join('\n')}
        hint="One a line; a section after #. Arrows that depend on one are invalidated, and so are those that declare no dependencies."
      />
      <TextArea name="grid" label="Grid" mono rows={18} required defaultValue={yaml} hint={`YAML or JSON, on the basis of version ${version}.`} />
      <Submit command={again ? 'Submit the amendment again' : 'Ask for the amendment'}>{again ? 'Submit again' : 'Ask for the amendment'}</Submit>
    </Form>
  );
}
