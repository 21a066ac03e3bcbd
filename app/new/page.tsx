import type { Metadata } from 'next';
import { ContainerFields } from '@/components/container-fields';
import { Form } from '@/components/form';
import { NeedsRole } from '@/components/needs-role';
import { PageHead } from '@/components/page-head';
import { Submit } from '@/components/submit';
import { CONTAINER_LABELS } from '@/components/container-labels';
import { requireRole } from '../support/viewer';
import { create } from './actions';

export const metadata: Metadata = { title: 'New container' };

/** An operator makes a container. */
export default async function NewContainer() {
  if (!(await requireRole('operator', '/new'))) return <NeedsRole role="operator" />;
  return (
    <>
      <PageHead title="New container" crumbs={[{ label: 'Board', href: '/' }]} intro="A shared workspace with one lock page, one collaboration page, one register and one copy." />
      <div className="card max-w-2xl p-5 sm:p-6">
        <Form action={create} label="New container" keep="new-container" labels={CONTAINER_LABELS}>
          <ContainerFields />
          <Submit>Make the container</Submit>
        </Form>
      </div>
    </>
  );
}
