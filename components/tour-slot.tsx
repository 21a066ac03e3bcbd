'use client';

import dynamic from 'next/dynamic';

/** The guided first visit, for those few who are on it: the others load none of it. */
export const TourSlot = dynamic(() => import('./tour').then((m) => m.Tour));
