'use client';

import clsx from 'clsx';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { useHydrated } from './clock';
import { FLASH_COOKIE, flashOf, type Flash } from './flash';

type Said = (Flash & { path: string }) | undefined;

const listeners = new Set<(said: Said) => void>();

const say = (next: Said): void => listeners.forEach((listener) => listener(next));

/** Tells what changed, in the page's live region. */
export const announce = (text: string): void => say({ text, refused: false, path: location.pathname });

/** Tells why nothing changed, where no form on the page says so already. */
export const announceRefusal = (text: string): void => say({ text, refused: true, path: location.pathname });

/** Takes the message that a redirect left in its cookie, and tells it on the page at `path`. */
export function takeFlash(path: string = location.pathname): void {
  const value = document.cookie.split('; ').find((pair) => pair.startsWith(`${FLASH_COOKIE}=`))?.slice(FLASH_COOKIE.length + 1);
  if (value === undefined) return;
  document.cookie = `${FLASH_COOKIE}=; Max-Age=0; Path=/; SameSite=Lax`;
  say({ ...flashOf(decodeURIComponent(value)), path });
}

/**
 * The one live region, at the foot of every page: what a form changed, or why it did not when
 * the form is gone; also after a plain post, where `initial` comes with the page. A message goes when the viewer closes it or leaves.
 */
export function LiveRegion({ initial }: { initial?: Flash }) {
  const hydrated = useHydrated();
  const path = usePathname();
  const query = useSearchParams();
  const [current, setCurrent] = useState<Said>();
  useEffect(() => {
    listeners.add(setCurrent);
    return () => void listeners.delete(setCurrent);
  }, []);
  // A redirect may change nothing but the query.
  useEffect(() => takeFlash(path), [path, query]);

  const told = hydrated ? (current?.path === path ? current : undefined) : initial;
  return (
    <div role="status" aria-live="polite" data-testid="live-region" className="pointer-events-none fixed inset-x-0 bottom-0 z-20 flex justify-center p-4">
      {told && (
        <p
          className={clsx(
            'pointer-events-auto flex max-w-[60ch] items-start gap-2.5 rounded-xl border py-2.5 pr-2.5 pl-3.5 text-[0.9375rem] shadow-lg',
            told.refused ? 'told-refusal border-danger-line bg-danger-soft text-danger' : 'border-good-line bg-good-soft text-good',
          )}
        >
          {told.refused ? <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" /> : <CircleCheck aria-hidden className="mt-0.5 size-5 shrink-0" />}
          <span className="min-w-0 break-words">{told.text}</span>
          {hydrated && (
            <button type="button" onClick={() => say(undefined)} className="-my-0.5 ml-1 inline-flex size-7 shrink-0 cursor-pointer items-center justify-center rounded-md hover:bg-surface">
              <X aria-hidden className="size-4" />
              <span className="sr-only">Close this message</span>
            </button>
          )}
        </p>
      )}
    </div>
  );
}
