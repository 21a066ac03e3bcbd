import { Webhook as WebhookIcon } from 'lucide-react';
import type { Metadata } from 'next';
import { DeliveryState } from '@/components/delivery-state';
import { Empty } from '@/components/empty';
import { CheckboxField, Field } from '@/components/field';
import { Form } from '@/components/form';
import { Link } from '@/components/link';
import { NeedsRole } from '@/components/needs-role';
import { Pagination } from '@/components/pagination';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { readContainer } from '@/lib/containers/read';
import { readWebhooks } from '@/lib/webhooks/read';
import { first, load, withQuery, type Search } from '../../../../support/load';
import { requireRole } from '../../../../support/viewer';
import { ContainerFrame } from '../../frame';
import { add } from './actions';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Webhooks' };

const COLUMNS = [
  { key: 'url', label: 'Sends to', lead: true },
  { key: 'active', label: 'State' },
  { key: 'last', label: 'Latest try' },
  { key: 'created', label: 'Added' },
];

/** Where a container's events are sent, for operators. */
export default async function Webhooks({ params, searchParams }: Props) {
  const { slug } = await params;
  const path = `/c/${slug}/settings/webhooks`;
  if (!(await requireRole('operator', path))) return <NeedsRole role="operator" />;
  const cursor = first((await searchParams).cursor);
  const [container, webhooks] = await load(path, (db, who) => Promise.all([readContainer(db, slug, who), readWebhooks(db, slug, who, { limit: 20, cursor })]));
  return (
    <ContainerFrame container={container}>
      <Section
        title="Webhooks"
        id="webhooks"
        flush
        aside={
          <Link href={`/c/${slug}/settings`} className="link">
            Settings
          </Link>
        }
        intro="What happens here is posted as JSON to these addresses, signed, and tried again for a day when nobody answers."
      >
        {webhooks.items.length === 0 ? (
          <Empty title="No webhooks" icon={WebhookIcon}>
            Add the address of a chat, a pager or a script of yours. It hears of acquisitions, releases and clears, of silent holders, petitions and turns, and of pushes that landed or were refused.
          </Empty>
        ) : (
          <Table
            caption="Webhooks"
            columns={COLUMNS}
            rows={webhooks.items.map((webhook) => ({
              id: webhook.id,
              cells: {
                url: (
                  <Link href={`${path}/${webhook.id}`} className="link break-all">
                    {webhook.url}
                  </Link>
                ),
                active: webhook.active ? 'on' : 'switched off',
                last: webhook.lastState ? (
                  <span className="flex flex-wrap gap-x-3">
                    <DeliveryState state={webhook.lastState} /> <Time at={webhook.lastAt!} />
                  </span>
                ) : (
                  'none yet'
                ),
                created: <Time at={webhook.createdAt} />,
              },
            }))}
          />
        )}
      </Section>
      <Pagination first={cursor ? path : null} next={webhooks.next && withQuery(path, { cursor: webhooks.next })} />
      {!container.archivedAt && (
        <Section title="Add a webhook" id="add">
          <Form action={add} label="Add a webhook" hidden={{ slug }} labels={{ url: 'Address', allowPrivate: 'Allow private addresses' }}>
            <Field name="url" label="Address" type="url" required maxLength={2000} placeholder="https://" spellCheck={false} autoCapitalize="none" hint="https:// or http://, without a name or password." />
            <CheckboxField name="allowPrivate" label="Allow private addresses" hint="For a receiver inside your own network. Without it only public addresses are connected to, whatever a name resolves to." />
            <Submit>Add the webhook</Submit>
          </Form>
        </Section>
      )}
    </ContainerFrame>
  );
}
