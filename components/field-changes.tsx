import type { LockRevisionFields } from '../lib/lock-page/revisions';
import { Principal } from './principal';
import { Table } from './table';
import { Time } from './time';

type Fields = Omit<LockRevisionFields, 'notes'>;

const LABELS: Record<keyof Fields, string> = {
  holder: 'Holder',
  reason: 'Reason',
  grant: 'Grant',
  nextGrant: 'Next grant',
  grantedAt: 'Granted',
  expiresAt: 'Expires',
  lastBeatAt: 'Last heartbeat',
  availableSince: 'Available since',
  cautionSince: 'Caution since',
  cautionGrant: 'Caution for grant',
};

function shown(value: Fields[keyof Fields] | undefined) {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'object') return <Principal principal={value} />;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return <Time at={value} relative={false} />;
  return <bdi className="break-words">{value}</bdi>;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Which fields of the lock page an edit changed, before and after. */
export function FieldChanges({ before, after }: { before?: Fields; after: Fields }) {
  const changed = (Object.keys(LABELS) as (keyof Fields)[]).filter((key) => !same(before?.[key], after[key]) && !(before === undefined && shown(after[key]) === undefined));
  if (changed.length === 0) return <p className="text-[0.9375rem] text-ink-soft">No field changed.</p>;
  return (
    <Table
      caption="Fields that changed"
      columns={[
        { key: 'field', label: 'Field', lead: true },
        { key: 'before', label: 'Before' },
        { key: 'after', label: 'After' },
      ]}
      rows={changed.map((key) => ({ id: key, cells: { field: LABELS[key], before: shown(before?.[key]), after: shown(after[key]) } }))}
    />
  );
}
