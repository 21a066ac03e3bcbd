import type { Lease } from '../lib/collaboration/read';
import { Principal } from './principal';
import { Table } from './table';

/** The leases, active ones first (L-2). */
export function LeaseTable({ leases, prefix }: { leases: Lease[]; prefix: string }) {
  return (
    <Table
      caption="Leases"
      columns={[
        { key: 'range', label: 'Identifiers', lead: true },
        { key: 'size', label: 'How many', align: 'end' },
        { key: 'to', label: 'Leased to' },
        { key: 'grant', label: 'Grant', align: 'end' },
        { key: 'state', label: 'State' },
      ]}
      rows={leases.map((lease) => ({
        id: lease.id,
        cells: {
          range: (
            <span className="font-mono text-[0.875rem]">
              {prefix}-{lease.from}
              {lease.through > lease.from && ` to ${prefix}-${lease.through}`}
            </span>
          ),
          size: <span className="tabular-nums">{lease.through - lease.from + 1}</span>,
          to: <Principal principal={lease.to} />,
          grant: <span className="font-mono">{lease.grant}</span>,
          state: lease.state,
        },
      }))}
    />
  );
}
