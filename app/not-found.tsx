import { MapPinOff, Search } from 'lucide-react';
import type { Metadata } from 'next';
import { Empty } from '@/components/empty';
import { Link } from '@/components/link';
import { Rescue } from '@/components/rescue';

export const metadata: Metadata = { title: { absolute: 'Not found · Holdfast' } };

export default function NotFound() {
  return (
    <div className="mx-auto mt-8 max-w-xl">
      <Rescue />
      <div className="card">
        <h1 className="sr-only">Not found</h1>
        <Empty title="There is nothing at this address" icon={MapPinOff}>
          A container, landing or entry of that name does not exist. It may have been typed wrong, or its container may have got another slug: look for it by title.
        </Empty>
        <form role="search" aria-label="Containers" action="/" className="flex flex-wrap gap-3 px-6 pb-4">
          <input aria-label="Search the board" name="q" type="search" dir="auto" maxLength={200} placeholder="Title, slug or description" className="input min-w-0 grow basis-60" />
          <button type="submit" className="button button-primary">
            <Search aria-hidden className="size-4" />
            Search
          </button>
        </form>
        <p className="px-6 pb-8 text-center">
          <Link href="/" className="link">
            To the board
          </Link>
        </p>
      </div>
    </div>
  );
}
