import { ScrollText } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Empty } from '@/components/empty';
import { NeedsRole } from '@/components/needs-role';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { readAuditLog } from '@/lib/audit/read';
import { AUDIT_ACTIONS } from '@/lib/audit/write';
import { first, load, withQuery, type Search } from '../../support/load';
import { requireRole } from '../../support/viewer';
import { AdminHead } from '../admin-nav';

export const metadata: Metadata = { title: 'Audit log' };

const COLUMNS = [
  { key: 'at', label: 'When' },
  { key: 'actor', label: 'Who' },
  { key: 'action', label: 'What', lead: true },
  { key: 'container', label: 'Container' },
  { key: 'target', label: 'Target' },
  { key: 'grant', label: 'Grant', align: 'end' as const },
  { key: 'reason', label: 'Reason', wide: true },
  { key: 'details', label: 'Details', wide: true },
];

/** The whole audit log, with filters. */
export default async function AuditLog({ searchParams }: { searchParams: Search }) {
  if (!(await requireRole('operator', '/admin/audit'))) return <NeedsRole role="operator" />;
  const query = await searchParams;
  const filter = { container: first(query.container)?.trim(), actor: first(query.actor)?.trim(), action: first(query.action) };
  const cursor = first(query.cursor);
  const { items, next } = await load('/admin/audit', (db, who) => readAuditLog(db, who, filter, { limit: 50, cursor }));
  const filtered = Boolean(filter.container || filter.actor || filter.action);
  return (
    <>
      <AdminHead at="/admin/audit" />
      <form role="search" aria-label="Audit log" className="mb-4 flex flex-wrap items-end gap-3">
        <label className="grow basis-40 text-[0.875rem] font-medium">
          Container
          <input name="container" defaultValue={filter.container} placeholder="Its slug" className="input mt-1" />
        </label>
        <label className="grow basis-40 text-[0.875rem] font-medium">
          Who
          <input name="actor" defaultValue={filter.actor} placeholder="Part of a name" className="input mt-1" />
        </label>
        <label className="grow basis-40 text-[0.875rem] font-medium">
          What
          <select name="action" defaultValue={filter.action ?? ''} className="input mt-1">
            <option value="">Anything</option>
            {AUDIT_ACTIONS.map((action) => (
              <option key={action} value={action}>
                {action}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" className="button">
          Filter
        </button>
        {filtered && (
          <Link href="/admin/audit" className="button button-quiet">
            Clear
          </Link>
        )}
      </form>
      <div className="card min-w-0">
        {items.length === 0 ? (
          <Empty title={filtered ? 'Nothing matches' : 'Nothing yet'} icon={ScrollText}>
            Lock edits, refusals, clears, and changes of roles and tokens are written here, and nothing is ever removed.
          </Empty>
        ) : (
          <Table
            caption="Audit log"
            columns={COLUMNS}
            rows={items.map((line) => ({
              id: line.id,
              cells: {
                at: <Time at={line.at} />,
                actor: <Principal principal={line.actor} />,
                action: <span className="font-mono text-[0.875rem]">{line.action}</span>,
                container: line.container && (
                  <Link href={`/c/${line.container}/lock`} className="link">
                    {line.container}
                  </Link>
                ),
                target: <span className="font-mono text-[0.8125rem] break-all">{line.target}</span>,
                grant: line.grant !== undefined && <span className="font-mono">{line.grant}</span>,
                reason: line.reason && <bdi className="break-words">{line.reason}</bdi>,
                details: Object.keys(line.details).length > 0 && (
                  <details>
                    <summary className="w-fit cursor-pointer text-[0.875rem]">Show</summary>
                    <pre tabIndex={0} aria-label={`Details of ${line.action}`} className="mt-1 max-w-80 overflow-auto font-mono text-[0.75rem] whitespace-pre-wrap">
                      {JSON.stringify(line.details, null, 2)}
                    </pre>
                  </details>
                ),
              },
            }))}
          />
        )}
      </div>
      <Pagination first={cursor ? withQuery('/admin/audit', filter) : null} next={next && withQuery('/admin/audit', { ...filter, cursor: next })} />
    </>
  );
}
