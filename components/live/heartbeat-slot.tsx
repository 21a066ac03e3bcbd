'use client';

import dynamic from 'next/dynamic';
import type { LockFace } from '../../lib/live/snapshot';
import { useFace } from './use-live';

const Heartbeat = dynamic(() => import('./heartbeat').then((m) => m.Heartbeat));

/** The heartbeats of whoever holds; the others load none of it. */
export function HeartbeatSlot({ slug, made, viewer }: { slug: string; made: LockFace; viewer: string }) {
  const face = useFace(slug, made);
  return face.holder?.id === viewer ? <Heartbeat slug={slug} made={made} viewer={viewer} /> : null;
}
