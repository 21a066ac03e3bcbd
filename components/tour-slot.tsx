'use client';

import dynamic from 'next/dynamic';
import type { ComponentProps } from 'react';
import { Lazily } from './live/lazily';

const Tour = dynamic(() => import('./tour').then((m) => m.Tour));

/** The guided first visit, for those few who are on it: the others load none of it. */
export const TourSlot = (props: ComponentProps<typeof Tour>) => (
  <Lazily>
    <Tour {...props} />
  </Lazily>
);
