'use client';

import dynamic from 'next/dynamic';
import type { LockFace } from '../../lib/live/snapshot';
import { Lazily } from './lazily';
import { useFace } from './use-live';

const Heartbeat = dynamic(() => import('./heartbeat').then((m) => m.Heartbeat));

/** The heartbeats of whoever holds; the others load none of it. */
export function HeartbeatSlot({ slug, made, viewer }: { slug: string; made: LockFace; viewer: string }) {
  const face = useFace(slug, made);
  if (face.holder?.id !== viewer) return null;
  return (
    <Lazily>
      <Heartbeat slug={slug} made={made} viewer={viewer} />
    </Lazily>
  );
}
