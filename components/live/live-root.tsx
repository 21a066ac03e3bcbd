'use client';

import { CloudOff, LoaderCircle, MapPinOff, UserX } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useState, type ReactNode } from 'react';
import { instantOf } from '../clock';
import { Link } from '../link';
import { takeFlash } from '../live-region';
import { Time } from '../time';
import { setRefresher } from './refresher';
import { setViewer, watch, type Status } from './store';
import { Toasts } from './toasts';
import { useLive } from './use-live';

/** Begins to hear the server, and says at the head of the page when it cannot be heard. */
export function LiveRoot({ viewer, unread }: { viewer: string | undefined; unread: number }) {
  const router = useRouter();
  useEffect(() => setRefresher(() => router.refresh()), [router]);
  useEffect(() => {
    setViewer(viewer);
    // Who signs out on the board stays on it: no path tells that there is something to say.
    takeFlash();
  }, [viewer]);
  // Whoever is signed in hears of its notices on every page.
  useEffect(() => (viewer === undefined ? undefined : watch([])), [viewer]);
  const status = useLive((live) => live.status);
  const frozen = useLive((live) => live.frozen);
  const heardAt = useLive((live) => (live.status === 'stale' || live.frozen ? live.heardAt : undefined));
  return (
    <>
      <div role="alert" data-testid="connection" className="sticky top-0 z-10">
        <Trouble status={status} frozen={frozen} heardAt={heardAt} />
      </div>
      {viewer !== undefined && <Toasts unread={unread} />}
    </>
  );
}

function Trouble({ status, frozen, heardAt }: { status: Status; frozen: boolean; heardAt: number | undefined }) {
  const path = usePathname();
  if (status === 'signed-out') {
    return (
      <Strip icon={<UserX aria-hidden className="mt-0.5 size-5 shrink-0" />} title="This page was made for somebody else">
        You have signed out, or in as somebody else, since it was loaded. What you typed is kept in this browser.{' '}
        <a href={`/sign-in?to=${encodeURIComponent(path)}`} className="font-medium underline">
          Sign in again
        </a>
      </Strip>
    );
  }
  if (status === 'gone') {
    return (
      <Strip icon={<MapPinOff aria-hidden className="mt-0.5 size-5 shrink-0" />} title="This page is not at this address any more">
        Its container has got another slug, or you may not read it any more. What you typed is kept in this browser.{' '}
        <Link href="/" className="font-medium underline">
          Look for it on the board
        </Link>
      </Strip>
    );
  }
  if (status === 'stale') {
    return (
      <Strip icon={<CloudOff aria-hidden className="mt-0.5 size-5 shrink-0" />} title="This page may be out of date">
        The server {heardAt === undefined ? 'was not reached' : <>was last reached <Time at={instantOf(heardAt)} relative={false} /></>}. It is being tried
        again; the page goes on by itself. What you type is kept in this browser.
      </Strip>
    );
  }
  return frozen ? <Looking /> : null;
}

/** Mostly the server answers before anybody could read this. */
const SOON_MS = 600;

function Looking() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const soon = setTimeout(() => setLate(true), SOON_MS);
    return () => clearTimeout(soon);
  }, []);
  return (
    late && (
      <Strip icon={<LoaderCircle aria-hidden className="mt-0.5 size-5 shrink-0 animate-spin" />} title="Looking whether your grant is still current">
        This page was away for a while. Nothing can be sent until the server has answered; what you typed stays.
      </Strip>
    )
  );
}

function Strip({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="mb-4 flex gap-3 rounded-xl border border-caution-line bg-caution-soft p-3.5 text-[0.9375rem] text-caution shadow-lg">
      {icon}
      <p className="min-w-0">
        <strong className="font-semibold">{title}.</strong> {children}
      </p>
    </div>
  );
}
