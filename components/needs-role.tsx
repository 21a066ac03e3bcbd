import { ShieldAlert } from 'lucide-react';
import type { Role } from '../lib/roles';
import { Empty } from './empty';

/** For somebody who is signed in, but whose role is not enough. */
export function NeedsRole({ role }: { role: Role }) {
  return (
    <div className="card">
      <h1 className="sr-only">Not allowed</h1>
      <Empty title={`This page is for ${role}s`} icon={ShieldAlert}>
        Your role does not allow it. An operator can change your role.
      </Empty>
    </div>
  );
}
