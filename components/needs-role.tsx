import { ShieldAlert } from 'lucide-react';
import type { Role } from '../lib/roles';
import { Empty } from './empty';
import { Link } from './link';

/** For somebody who is signed in, but whose role is not enough. */
export function NeedsRole({ role }: { role: Role }) {
  return (
    <div className="card">
      <h1 className="sr-only">Not allowed</h1>
      <Empty title={`This page is for ${role}s`} icon={ShieldAlert}
        action={
          <Link href="/" className="button">
            To the board
          </Link>
        }
      >
        Yours is not enough for it. An operator can change your role, on the page of principals; then reload this one.
      </Empty>
    </div>
  );
}
