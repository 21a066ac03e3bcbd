'use client';

import { KeyRound, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { LockFace } from '../../lib/live/snapshot';
import { useReached } from '../clock';
import { Link } from '../link';
import { Time } from '../time';
import { forgetGrant, lost, remember } from './held';
import { useFace } from './use-live';

type Made = Pick<LockFace, 'now' | 'holder' | 'grant' | 'expiresAt'>;

/** Says that the viewer's grant has ended, why, and what to do with the work (LP-8). */
export function GrantWatch({ slug, made, viewer }: { slug: string; made: Made; viewer: string }) {
  const face = useFace(slug, made);
  const over = useReached(face.expiresAt, face.now) && face.holder !== null;
  const mine = face.holder?.id === viewer && !over;
  const [ended, setEnded] = useState<number>();
  const { grant } = face;
  useEffect(() => {
    if (mine) remember(slug, viewer, grant);
    // What was held is known outside of React: a page that is read again is another tree.
    // eslint-disable-next-line react-hooks/set-state-in-effect
    setEnded(mine ? undefined : lost(slug, viewer));
  }, [slug, viewer, mine, grant, face]);

  return (
    <div role="alert" data-testid="grant-ended">
      {ended !== undefined && (
        <div className="mb-4 flex gap-3 rounded-xl border border-danger-line bg-danger-soft p-4 text-[0.9375rem] text-danger">
          <KeyRound aria-hidden className="mt-0.5 size-5 shrink-0" />
          <div className="min-w-0 grow">
            <p className="font-semibold">Your grant {ended} has ended</p>
            <p className="mt-0.5">
              <How face={face} ended={ended} /> Nothing can land under it any more. Your drafts are kept, and what you typed is still in this browser.
            </p>
            <p className="mt-2">
              Next:{' '}
              <Link href={`/c/${slug}/lock`} className="font-medium underline">
                ask for the lock again
              </Link>
              , then{' '}
              <Link href={`/c/${slug}/drafts`} className="font-medium underline">
                copy your drafts to the new grant
              </Link>{' '}
              and push them.
            </p>
          </div>
          <button
            type="button"
            className="icon-button -my-1.5 shrink-0"
            onClick={() => {
              forgetGrant(slug);
              setEnded(undefined);
            }}
          >
            <X aria-hidden className="size-4" />
            <span className="sr-only">Close this message</span>
          </button>
        </div>
      )}
    </div>
  );
}

function How({ face, ended }: { face: Made; ended: number }) {
  if (face.grant > ended) {
    return face.holder ? (
      <>
        {face.holder.name} holds the lock now, with grant {face.grant}.
      </>
    ) : (
      <>A later grant, {face.grant}, has been given out since.</>
    );
  }
  if (face.holder && face.expiresAt) {
    return (
      <>
        It ran out, <Time at={face.expiresAt} relative={false} />.
      </>
    );
  }
  return <>It was released in another tab, or cleared by an operator after it had run out.</>;
}
