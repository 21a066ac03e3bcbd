import { Send } from 'lucide-react';
import type { Metadata } from 'next';
import { DeliveryState } from '@/components/delivery-state';
import { Empty } from '@/components/empty';
import { Facts } from '@/components/facts';
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
import { readDeliveries, readWebhook } from '@/lib/webhooks/read';
import type { Delivery, Webhook } from '@/lib/webhooks/record';
import { first, load, withQuery, type Search } from '../../../../../support/load';
import { requireRole } from '../../../../../support/viewer';
import { ContainerFrame } from '../../../frame';
import { change, remove, retry, rotate, test, turn } from '../actions';

type Props = { params: Promise<{ slug: string; id: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Webhook' };

const COLUMNS = [
  { key: 'type', label: 'Event', lead: true },
  { key: 'state', label: 'State' },
  { key: 'tries', label: 'Tries', align: 'end' as const },
  { key: 'answer', label: 'Answer' },
  { key: 'when', label: 'When' },
  { key: 'again', label: 'Action' },
];

/** One webhook: where it sends, its secret, and what was sent. */
export default async function WebhookPage({ params, searchParams }: Props) {
  const { slug, id } = await params;
  const path = `/c/${slug}/settings/webhooks/${id}`;
  if (!(await requireRole('operator', path))) return <NeedsRole role="operator" />;
  const cursor = first((await searchParams).cursor);
  const [container, webhook, deliveries] = await load(path, async (db, who) => {
    const webhook = await readWebhook(db, id, who, slug);
    return Promise.all([readContainer(db, slug, who), webhook, readDeliveries(db, id, who, { limit: 25, cursor })]);
  });
  return (
    <ContainerFrame container={container}>
      <Section
        title="Webhook"
        id="webhook"
        aside={
          <Link href={`/c/${slug}/settings/webhooks`} className="link">
            All webhooks
          </Link>
        }
      >
        <Facts
          facts={[
            { label: 'Sends to', value: <span className="break-all">{webhook.url}</span> },
            { label: 'State', value: webhook.active ? 'on' : `switched off${webhook.offReason ? `: ${webhook.offReason}` : ''}` },
            { label: 'Private addresses', value: webhook.allowPrivate ? 'allowed' : 'refused' },
            { label: 'Added', value: <Time at={webhook.createdAt} /> },
          ]}
        />
        <div className="mt-5 flex flex-wrap gap-3">
          {!container.archivedAt && (
            <Form action={test} label="Send a test" hidden={{ id }} inline>
              <Submit>Send a test</Submit>
            </Form>
          )}
          <Form action={turn} label="Switch" hidden={{ id, active: webhook.active ? 'no' : 'yes' }} inline>
            <Submit variant="plain">{webhook.active ? 'Switch off' : 'Switch on'}</Submit>
          </Form>
        </div>
      </Section>
      <Section
        title="Deliveries"
        id="deliveries"
        flush
        aside={
          <Link href={path} className="link">
            Look again
          </Link>
        }
      >
        {deliveries.items.length === 0 ? (
          <Empty title="Nothing was sent yet" icon={Send}>
            Send a test, or wait until something happens in the container. What was sent stays here for 30 days.
          </Empty>
        ) : (
          <Table caption="Deliveries" columns={COLUMNS} rows={deliveries.items.map((delivery) => ({ id: delivery.id, cells: cellsOf(delivery, webhook) }))} />
        )}
      </Section>
      <Pagination first={cursor ? path : null} next={deliveries.next && withQuery(path, { cursor: deliveries.next })} />
      <Section title="Address" id="address">
        <Form action={change} label="Address" hidden={{ id }} labels={{ url: 'Address', allowPrivate: 'Allow private addresses' }}>
          <Field name="url" label="Address" type="url" required maxLength={2000} defaultValue={webhook.url} spellCheck={false} autoCapitalize="none" />
          <CheckboxField name="allowPrivate" label="Allow private addresses" defaultChecked={webhook.allowPrivate} hint="For a receiver inside your own network." />
          <Submit variant="plain">Save</Submit>
        </Form>
      </Section>
      <Section
        title="Secret"
        id="secret"
        intro="Each post carries webhook-id, webhook-timestamp and webhook-signature: “v1,” and the base64 of the HMAC-SHA256 of id.timestamp.body, keyed with what follows whsec_, decoded from base64."
      >
        <Form action={rotate} label="New secret" hidden={{ id }}>
          <Submit variant="plain">Make a new secret</Submit>
        </Form>
      </Section>
      <Section title="Remove" id="remove" intro="Its log goes with it, and what is on its way is dropped.">
        <Form action={remove} label="Remove" hidden={{ id, slug }}>
          <Submit variant="danger">Remove this webhook</Submit>
        </Form>
      </Section>
    </ContainerFrame>
  );
}

function cellsOf(delivery: Delivery, webhook: Webhook) {
  const { id, type, event, state, attempts, status, error, excerpt, at, lastAt, nextAt } = delivery;
  return {
    type: (
      <span className="min-w-0">
        {type} <span className="block font-mono text-[0.75rem] break-all text-ink-faint">{event}</span>
      </span>
    ),
    state: <DeliveryState state={state} />,
    tries: <span className="tabular-nums">{attempts}</span>,
    answer: (status !== null || error) && (
      <span className="block min-w-0 break-words">
        {status !== null && <span className="font-mono">{status}</span>} {error}
        {excerpt && <code className="mt-1 block text-[0.75rem] break-all whitespace-pre-wrap text-ink-soft">{excerpt}</code>}
      </span>
    ),
    when: (
      <span className="block">
        <Time at={lastAt ?? at} />
        {state === 'failed' && nextAt && (
          <span className="block text-ink-soft">
            next try <Time at={nextAt} />
          </span>
        )}
      </span>
    ),
    again: state !== 'queued' && (webhook.active || type === 'ping') && (
      <Form action={retry} label={`Send ${type} ${event} again`} hidden={{ delivery: id }} inline>
        <Submit variant="plain" small>
          <span className="whitespace-nowrap">{state === 'failed' ? 'Try now' : 'Send again'}</span>
        </Submit>
      </Form>
    ),
  };
}
