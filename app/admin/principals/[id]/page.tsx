import { KeyRound } from 'lucide-react';
import type { Metadata } from 'next';
import { Empty } from '@/components/empty';
import { Field, SelectField } from '@/components/field';
import { Form } from '@/components/form';
import { NeedsRole } from '@/components/needs-role';
import { PageHead } from '@/components/page-head';
import { Pagination } from '@/components/pagination';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { readClock } from '@/lib/clock';
import { readPrincipal } from '@/lib/principals/read';
import { ROLES } from '@/lib/roles';
import { listTokens } from '@/lib/tokens/list';
import { first, load, withQuery, type Search } from '../../../support/load';
import { requireRole } from '../../../support/viewer';
import { change, issue, revoke } from '../actions';

type Props = { params: Promise<{ id: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Principal' };

const COLUMNS = [
  { key: 'label', label: 'Token', lead: true },
  { key: 'state', label: 'State' },
  { key: 'created', label: 'Issued' },
  { key: 'expires', label: 'Expires' },
  { key: 'used', label: 'Last used' },
  { key: 'revoke', label: 'Action' },
];

/** One principal: its role, state and password, and its API tokens (P-1). */
export default async function PrincipalPage({ params, searchParams }: Props) {
  const { id } = await params;
  const path = `/admin/principals/${id}`;
  const who = await requireRole('operator', path);
  if (!who) return <NeedsRole role="operator" />;
  const cursor = first((await searchParams).cursor);
  const [principal, tokens, now] = await load(path, (db) => Promise.all([readPrincipal(db, id), listTokens(db, who, id, { limit: 50, cursor }), readClock(db)]));
  return (
    <>
      <PageHead title={principal.name} crumbs={[{ label: 'Admin', href: '/admin' }, { label: 'Principals', href: '/admin/principals' }]} intro={`${principal.kind}, ${principal.active ? principal.role : 'deactivated'}`} />
      <div className="flex flex-col gap-6">
        <Section title="Role and state" id="role" intro="A change takes effect at once. A principal is deactivated, never deleted: histories keep their authors.">
          <Form action={change} label="Role and state" hidden={{ id }} labels={{ name: 'Name', role: 'Role', active: 'State' }}>
            <div className="grid gap-4 sm:grid-cols-3">
              <Field name="name" label="Name" required maxLength={60} defaultValue={principal.name} autoComplete="off" />
              <SelectField name="role" label="Role" defaultValue={principal.role} options={ROLES.map((value) => ({ value, label: value }))} />
              <SelectField
                name="active"
                label="State"
                defaultValue={principal.active ? 'yes' : 'no'}
                options={[
                  { value: 'yes', label: 'active' },
                  { value: 'no', label: 'deactivated' },
                ]}
              />
            </div>
            <Submit>Save</Submit>
          </Form>
        </Section>
        <Section title="Password" id="password" intro="For signing in with a browser. A new one ends every session.">
          <Form action={change} label="Password" hidden={{ id }} labels={{ password: 'New password' }}>
            <Field name="password" label="New password" type="password" required minLength={8} maxLength={200} autoComplete="new-password" hint="8 to 200 characters." />
            <Submit variant="plain">Set the password</Submit>
          </Form>
        </Section>
        <Section title="API tokens" id="tokens" flush>
          {tokens.items.length === 0 ? (
            <Empty title="No tokens" icon={KeyRound}>
              A token lets an agent or a script work over the API. It is shown once.
            </Empty>
          ) : (
            <Table
              caption="API tokens"
              columns={COLUMNS}
              rows={tokens.items.map((token) => {
                const state = token.revokedAt ? 'revoked' : token.expiresAt <= now ? 'expired' : 'active';
                return {
                  id: token.id,
                  cells: {
                    label: <span className="break-words">{token.label}</span>,
                    state,
                    created: <Time at={token.createdAt} />,
                    expires: <Time at={token.expiresAt} />,
                    used: token.lastUsedAt ? <Time at={token.lastUsedAt} /> : 'never',
                    revoke: state === 'active' && (
                      <Form action={revoke} label={`Revoke “${token.label}”`} hidden={{ token: token.id }} inline>
                        <Submit variant="plain" small>
                          Revoke
                        </Submit>
                      </Form>
                    ),
                  },
                };
              })}
            />
          )}
          <div className="border-t border-line px-4 py-5 sm:px-5">
            <Form action={issue} label="Issue a token" hidden={{ id }} labels={{ label: 'Label', expiresInDays: 'Days' }}>
              <p className="font-medium">Issue a token</p>
              <div className="grid gap-4 sm:grid-cols-2">
                <Field name="label" label="Label" optional maxLength={80} hint="What it is for." />
                <Field name="expiresInDays" label="Days" type="number" min={1} max={366} defaultValue={90} hint="How long it lasts." />
              </div>
              <Submit>Issue</Submit>
            </Form>
          </div>
        </Section>
        <Pagination first={cursor ? path : null} next={tokens.next && withQuery(path, { cursor: tokens.next })} />
      </div>
    </>
  );
}
