'use client';

import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { slugOf } from './commands/shortcuts';
import { useLatePath } from './pending';
import { PageSketch, PartSketch } from './skeleton';

/** A page, or a sketch of the one that is on its way. What is typed in it stays: it is hidden, not gone. */
export function PendingPage({ children }: { children: ReactNode }) {
  const path = usePathname();
  const late = useLatePath();
  const slug = slugOf(path);
  const leaves = late !== undefined && late !== path && (slug === undefined || slugOf(late) !== slug);
  return (
    <>
      {leaves && <PageSketch path={late} />}
      <div hidden={leaves}>{children}</div>
    </>
  );
}

/** What stands under a container's tabs, or a sketch of what will. */
export function PendingPart({ slug, children }: { slug: string; children: ReactNode }) {
  const path = usePathname();
  const late = useLatePath();
  const leaves = late !== undefined && late !== path && slugOf(late) === slug;
  return (
    <>
      {leaves && (
        <div className="mt-6">
          <PartSketch path={late} />
        </div>
      )}
      <div hidden={leaves} className="mt-6">
        {children}
      </div>
    </>
  );
}
