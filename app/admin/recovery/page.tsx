import { LifeBuoy } from 'lucide-react';
import type { Metadata } from 'next';
import { Empty } from '@/components/empty';
import { Form } from '@/components/form';
import { Link } from '@/components/link';
import { NeedsRole } from '@/components/needs-role';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { Table } from '@/components/table';
import { TextArea } from '@/components/text-area';
import { Time } from '@/components/time';
import type { Alert } from '@/lib/alerts';
import { readRecoveries, type KeptRecovery } from '@/lib/recovery/run';
import { micros } from '@/lib/time';
import { load } from '../../support/load';
import { requireRole } from '../../support/viewer';
import { AdminHead } from '../admin-nav';
import { acknowledge, rebuild } from './actions';

export const metadata: Metadata = { title: 'Recovery' };

const COLUMNS = [
  { key: 'what', label: 'Found', lead: true },
  { key: 'proof', label: 'Proof', wide: true },
  { key: 'done', label: 'Done' },
];

/** What each recovery found, the proof, and what was done (BR-5); and what waits for an operator (BR-6). */
export default async function RecoveryPage() {
  const who = await requireRole('operator', '/admin/recovery');
  if (!who) return <NeedsRole role="operator" />;
  const { recoveries, alerts } = await load('/admin/recovery', (db) => readRecoveries(db, who));
  return (
    <>
      <AdminHead at="/admin/recovery" />
      <div className="flex flex-col gap-6">
        <Section title="Alerts" id="alerts" flush>
          {alerts.length === 0 ? (
            <Empty title="Nothing waits for you" icon={LifeBuoy}>
              A broken checkpoint chain, a mirror that was changed by hand, a long amendment queue, or a webhook that cannot be reached is told here.
            </Empty>
          ) : (
            <ul aria-label="Alerts" className="divide-y divide-line">
              {alerts.map((alert) => (
                <AlertItem key={alert.id} alert={alert} />
              ))}
            </ul>
          )}
        </Section>
        {recoveries.map((recovery) => (
          <Report key={`${recovery.instance}${recovery.at}`} recovery={recovery} />
        ))}
      </div>
    </>
  );
}

const TEXTS: Record<Alert['kind'], string> = {
  'chain-broken': 'The checkpoint chain does not hold: new passes and amendments are closed.',
  'grid-diverged': 'The mirror of the grid does not match the record: new passes and amendments are closed.',
  'amendment-queue-long': 'More than ten amendments are waiting.',
  'webhook-given-up': 'What happened here could not be delivered to a webhook, and is not tried any more.',
};

function AlertItem({ alert }: { alert: Alert }) {
  const slug = alert.container;
  const reason = typeof alert.details.reason === 'string' ? alert.details.reason : undefined;
  return (
    <li className="px-4 py-4 sm:px-5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        {slug && (
          <Link href={`/c/${slug}/${alert.kind === 'webhook-given-up' ? 'settings/webhooks' : 'grid'}`} className="link font-medium">
            {slug}
          </Link>
        )}
        <span className="break-words">{TEXTS[alert.kind]}</span>
      </p>
      <p className="mt-0.5 text-[0.875rem] text-ink-soft">
        {reason && <span className="break-words">{reason}, </span>}
        <Time at={alert.at} />
      </p>
      {slug && alert.kind === 'grid-diverged' && (
        <div className="mt-3">
          <Form action={rebuild} label={`Rebuild the mirror of ${slug}`} hidden={{ slug }}>
            <Submit variant="plain">Rebuild the mirror from the record</Submit>
          </Form>
        </div>
      )}
      {slug && alert.kind === 'chain-broken' && (
        <div className="mt-3">
          <Form action={acknowledge} label={`Acknowledge the chain of ${slug}`} hidden={{ slug }} labels={{ reason: 'Reason' }}>
            <TextArea name="reason" label="Reason" required maxLength={1000} rows={2} hint="Why the chain can be taken as it stands. It is audited." />
            <Submit variant="danger">Acknowledge the chain</Submit>
          </Form>
        </div>
      )}
    </li>
  );
}

function Report({ recovery }: { recovery: KeptRecovery }) {
  const found = recovery.steps.flatMap((step) => step.found.map((f) => ({ step: step.name, ...f })));
  const took = recovery.steps.map((step) => `${step.name} ${Math.round((micros(step.endedAt) - micros(step.startedAt)) / 1000)} ms`).join(', ');
  const id = `recovery-${recovery.at.replace(/\W/g, '')}`;
  return (
    <Section title={`Recovery, ${found.length === 0 ? 'nothing found' : `${found.length} found`}`} id={id} flush aside={<Time at={recovery.at} />} intro={<>Instance {recovery.instance}: {took}</>}>
      {found.length > 0 && (
        <Table
          caption="What was found"
          columns={COLUMNS}
          rows={found.slice(0, 200).map((f, i) => ({
            id: i,
            cells: {
              what: (
                <span className="break-all">
                  {f.what} <span className="font-mono text-[0.8125rem]">{f.id}</span>
                </span>
              ),
              proof: <span className="break-words">{f.proof}</span>,
              done: f.done,
            },
          }))}
        />
      )}
      {found.length > 200 && <p className="px-4 pb-4 text-ink-soft sm:px-5">and {found.length - 200} more, in the API’s answer.</p>}
    </Section>
  );
}
