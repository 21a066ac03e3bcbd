'use client';

import dynamic from 'next/dynamic';
import { usePathname } from 'next/navigation';
import type { ComponentProps } from 'react';
import { Lazily } from './live/lazily';

const Tour = dynamic(() => import('./tour').then((m) => m.Tour));

/** The guided first visit, for those few who are on it, and its offer on the board: the others load none of it. */
export function TourSlot(props: ComponentProps<typeof Tour>) {
  const path = usePathname();
  if (!props.practice && path !== '/') return null;
  return (
    <Lazily>
      <Tour {...props} />
    </Lazily>
  );
}
