import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { ContainerFields } from '@/components/container-fields';
import { CONTAINER_LABELS } from '@/components/container-labels';
import { Field } from '@/components/field';
import { Form } from '@/components/form';
import { NeedsRole } from '@/components/needs-role';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { readContainer } from '@/lib/containers/read';
import { load } from '../../../support/load';
import { requireRole } from '../../../support/viewer';
import { ContainerFrame } from '../frame';
import { archive, change } from './actions';

type Props = { params: Promise<{ slug: string }> };

export const metadata: Metadata = { title: 'Settings' };

/** A container's description and settings, for operators (P-2). */
export default async function Settings({ params }: Props) {
  const { slug } = await params;
  const path = `/c/${slug}/settings`;
  if (!(await requireRole('operator', path))) return <NeedsRole role="operator" />;
  const container = await load(path, (db, who) => readContainer(db, slug, who));
  return (
    <ContainerFrame container={container}>
      {!container.archivedAt && (
        <>
          <Section
            title="Settings"
            id="settings"
            aside={
              <Link href={`${path}/history`} className="link">
                Revision {container.revision}, history
              </Link>
            }
          >
            <Form action={change} label="Settings" base={container.revision} hidden={{ container: slug }} keep={`settings.${slug}`} labels={CONTAINER_LABELS}>
              <ContainerFields container={container} />
              <Field name="summary" label="Summary" optional maxLength={200} hint="What you changed, for the history." />
              <Submit>Save</Submit>
            </Form>
          </Section>
          <Section title="Webhooks" id="webhooks" intro="Post what happens here to other programs.">
            <Link href={`${path}/webhooks`} className="button">
              Webhooks
            </Link>
          </Section>
          <Section title="Archive" id="archive" intro="An archived container can be read, not written. Nobody may hold its lock. It cannot be undone here.">
            <Form action={archive} label="Archive" hidden={{ container: slug }}>
              <Submit variant="danger">Archive this container</Submit>
            </Form>
          </Section>
        </>
      )}
    </ContainerFrame>
  );
}
