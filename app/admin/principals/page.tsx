import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Empty } from '@/components/empty';
import { Field, SelectField } from '@/components/field';
import { Form } from '@/components/form';
import { NeedsRole } from '@/components/needs-role';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { listPrincipals } from '@/lib/principals/list';
import { ROLES } from '@/lib/roles';
import { first, load, withQuery, type Search } from '../../support/load';
import { requireRole } from '../../support/viewer';
import { AdminHead } from '../admin-nav';
import { create } from './actions';

export const metadata: Metadata = { title: 'Principals' };

const PATH = '/admin/principals';
const COLUMNS = [
  { key: 'name', label: 'Name', lead: true },
  { key: 'role', label: 'Role' },
  { key: 'state', label: 'State' },
  { key: 'since', label: 'Since' },
];

/** People and agents (P-1). */
export default async function Principals({ searchParams }: { searchParams: Search }) {
  const who = await requireRole('operator', PATH);
  if (!who) return <NeedsRole role="operator" />;
  const query = await searchParams;
  const q = first(query.q);
  const cursor = first(query.cursor);
  const { items, next } = await load(PATH, (db) => listPrincipals(db, who, { q }, { limit: 50, cursor }));
  return (
    <>
      <AdminHead at={PATH} />
      <div className="flex flex-col gap-6">
        <Section title="Principals" id="principals" flush>
          <form role="search" aria-label="Principals" className="flex flex-wrap gap-3 px-4 pb-4 sm:px-5">
            <input aria-label="Search by name" name="q" type="search" defaultValue={q} placeholder="Part of a name" className="input min-w-0 grow basis-60" />
            <button type="submit" className="button">
              Search
            </button>
          </form>
          {items.length === 0 ? (
            <Empty title="Nobody matches">Try a shorter part of the name.</Empty>
          ) : (
            <Table
              caption="Principals"
              columns={COLUMNS}
              rows={items.map((p) => ({
                id: p.id,
                cells: {
                  name: (
                    <Link href={`${PATH}/${p.id}`} className="link">
                      <Principal principal={p} />
                    </Link>
                  ),
                  role: p.role,
                  state: p.active ? 'active' : 'deactivated',
                  since: <Time at={p.createdAt} />,
                },
              }))}
            />
          )}
        </Section>
        <Pagination first={cursor ? withQuery(PATH, { q }) : null} next={next && withQuery(PATH, { q, cursor: next })} firstText="From the start" nextText="More" />
        <Section title="New principal" id="new">
          <Form action={create} label="New principal" keep="new-principal" labels={{ name: 'Name', kind: 'Kind', role: 'Role', password: 'Password' }}>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field name="name" label="Name" required maxLength={60} autoComplete="off" />
              <SelectField
                name="kind"
                label="Kind"
                options={[
                  { value: 'person', label: 'person' },
                  { value: 'agent', label: 'agent' },
                ]}
              />
              <SelectField name="role" label="Role" defaultValue="coworker" options={ROLES.map((value) => ({ value, label: value }))} />
              <Field name="password" label="Password" type="password" optional maxLength={200} autoComplete="new-password" hint="At least 8 characters. Agents need none: issue a token on the next page." />
            </div>
            <Submit command="Make a principal">Make the principal</Submit>
          </Form>
        </Section>
      </div>
    </>
  );
}
