import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { MapPinOff } from 'lucide-react';
import { Empty } from '@/components/empty';

export const metadata: Metadata = { title: { absolute: 'Not found · Holdfast' } };

export default function NotFound() {
  return (
    <div className="card mx-auto mt-8 max-w-xl">
      <h1 className="sr-only">Not found</h1>
      <Empty
        icon={MapPinOff}
        title="There is nothing at this address"
        action={
          <Link href="/" className="button">
            To the board
          </Link>
        }
      >
        A container, landing or entry of that name does not exist, or it is not public and you are not signed in.
      </Empty>
    </div>
  );
}
