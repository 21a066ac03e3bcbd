'use client';

import { HeartOff, HeartPulse } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LockFace } from '../../lib/live/snapshot';
import { instantOf, serverNow, useReached, useServerNow } from '../clock';
import { Countdown } from '../countdown';
import { durationText } from '../duration';
import { announceRefusal } from '../live-region';
import { Time } from '../time';
import type { FromWorker, Orders } from './heartbeat-orders';
import { IDLE_CHOICES, idleSeconds, isOff, setIdleSeconds, setOff, touch, touchedAt } from './heartbeat-settings';
import { alertViewer } from './notify';
import { useFace, useLive } from './use-live';

type Made = Pick<LockFace, 'now' | 'revision' | 'holder' | 'grant' | 'grantedAt' | 'expiresAt' | 'lastBeatAt'>;

const CAP_MS = 24 * 3_600_000;
const WARN_CAP_MS = 30 * 60_000;
const WARN_END_MS = 10 * 60_000;
const TOUCHES = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/**
 * Beats for the lead while it works (LP-5): from a worker, so that a tab in the background
 * goes on; visibly; off when the lead says so; and never for a page that nobody touches.
 */
export function Heartbeat({ slug, made, viewer }: { slug: string; made: Made; viewer: string }) {
  const face = useFace(slug, made);
  const over = useReached(face.expiresAt, face.now);
  const mine = face.holder?.id === viewer && face.expiresAt !== null && face.grantedAt !== null && face.lastBeatAt !== null && !over;
  return mine ? <Beating key={face.grant} slug={slug} face={face as Beaten} /> : null;
}

type Beaten = { [K in keyof Made]: NonNullable<Made[K]> };
type Trouble = { kind: 'missed' } | { kind: 'refused'; detail: string } | { kind: 'idle-soon'; leftMs: number } | { kind: 'idle' };

function Beating({ slug, face }: { slug: string; face: Beaten }) {
  const { grant, expiresAt, lastBeatAt, grantedAt, revision, now } = face;
  const capAt = Date.parse(grantedAt) + CAP_MS;
  const atCap = Date.parse(expiresAt) >= capAt;
  // What the grant's last extension was worth: its term, since a grant keeps the one that it began with.
  const [termMs] = useState(() => Math.max(1_000, Date.parse(expiresAt) - Date.parse(lastBeatAt)));
  const [on, setOn] = useState(true);
  const [read, setRead] = useState(false);
  const [idle, setIdle] = useState(3_600);
  const [trouble, setTrouble] = useState<Trouble>();
  const worker = useRef<Worker>(undefined);
  // A session that has ended beats no more, and begins again once there is one.
  const signedIn = useLive((live) => live.status !== 'signed-out');

  useEffect(() => {
    // Set in this browser, which the server does not know of.
    // eslint-disable-next-line react-hooks/set-state-in-effect
    setOn(!isOff(slug, grant));
    setIdle(idleSeconds());
    setRead(true);
  }, [slug, grant]);

  const order = useCallback(() => {
    // Not one beat before it is known whether the lead has turned them off.
    if (!read) return;
    const orders: Orders = { on: on && signedIn, slug, grant, base: revision, expiresAt, offset: serverNow() - Date.now(), termMs, atCap, idleMs: idle * 1_000, touchedAt: touchedAt() };
    worker.current?.postMessage(orders);
  }, [read, on, signedIn, slug, grant, revision, expiresAt, termMs, atCap, idle]);

  const turn = (next: boolean) => {
    setOn(next);
    setOff(slug, grant, !next);
    setTrouble(undefined);
  };

  const hear = useCallback(
    (message: FromWorker) => {
      setTrouble(message.kind === 'beat' ? undefined : message);
      if (message.kind === 'idle') {
        setOn(false);
        setOff(slug, grant, true);
        alertViewer({ tag: `idle.${slug}.${grant}`, title: 'Heartbeats have stopped', body: `Nobody has touched the page, so grant ${grant} will run out by itself.`, href: `/c/${slug}/lock` });
      }
      if (message.kind === 'idle-soon')
        alertViewer({ tag: `idle-soon.${slug}.${grant}`, title: 'Are you still there?', body: `Heartbeats for grant ${grant} stop in ${durationText(message.leftMs)} unless you touch the page.`, href: `/c/${slug}/lock` });
      if (message.kind === 'refused') announceRefusal(`A heartbeat was refused. ${message.detail}`);
    },
    [slug, grant],
  );

  useEffect(() => {
    // Whoever loads a page is there.
    touch();
    const made = new Worker(new URL('./heartbeat-worker.ts', import.meta.url));
    worker.current = made;
    // It cannot be fetched: Holdfast was updated, or cannot be reached.
    made.onerror = () => setTrouble({ kind: 'refused', detail: 'This page cannot send any. Load it again.' });
    return () => {
      made.terminate();
      worker.current = undefined;
    };
  }, []);
  useEffect(() => {
    if (worker.current) worker.current.onmessage = ({ data }: MessageEvent<FromWorker>) => hear(data);
  }, [hear]);
  useEffect(order, [order]);

  useEffect(() => {
    const onTouch = () => {
      touch();
      setTrouble((known) => (known?.kind === 'idle-soon' ? undefined : known));
    };
    const onVisible = () => {
      if (!document.hidden) order();
    };
    const telling = setInterval(order, 1_000);
    for (const name of TOUCHES) window.addEventListener(name, onTouch, { passive: true });
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearInterval(telling);
      for (const name of TOUCHES) window.removeEventListener(name, onTouch);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [order]);

  const ticking = useServerNow(10_000);
  const at = ticking ?? Date.parse(now);
  const left = Date.parse(expiresAt) - at;
  const beatAt = Date.parse(expiresAt) - (termMs * 2) / 3;
  const capSoon = capAt - at < WARN_CAP_MS;
  const endSoon = left < Math.min(WARN_END_MS, termMs / 4);
  const choices = [...new Set([...IDLE_CHOICES, idle])].sort((a, b) => a - b);
  return (
    <section aria-label="Heartbeats" data-testid="heartbeats" className="mb-4 rounded-xl border border-held-line bg-held-soft px-4 py-3 text-[0.9375rem] text-held">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="flex min-w-0 grow basis-72 items-start gap-2.5">
          {on ? <HeartPulse aria-hidden className="mt-0.5 size-5 shrink-0" /> : <HeartOff aria-hidden className="mt-0.5 size-5 shrink-0" />}
          <span>
            You hold grant <span className="font-mono font-medium">{grant}</span>: it ends in{' '}
            <strong>
              <Countdown until={expiresAt} now={now} over="no time" />
            </strong>
            .{' '}
            {atCap ? 'It is at its 24 h cap.' : on ? <>Heartbeats are on; the next is due <Time at={instantOf(Math.max(beatAt, at))} relative={false} />.</> : 'Heartbeats are off.'}{' '}
            <span className="text-ink-soft">
              Last heartbeat <Time at={lastBeatAt} />.
            </span>
          </span>
        </p>
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <label className="flex min-w-0 flex-wrap items-center gap-2 text-[0.875rem] text-ink-soft">
            Stop after
            <select
              aria-label="Stop heartbeats when nobody has touched a page for"
              value={idle}
              onChange={(event) => {
                setIdle(Number(event.target.value));
                setIdleSeconds(Number(event.target.value));
              }}
              className="input h-auto min-h-9 w-auto max-w-full py-0"
            >
              {choices.map((seconds) => (
                <option key={seconds} value={seconds}>
                  {idleText(seconds)} idle
                </option>
              ))}
            </select>
          </label>
          <button type="button" role="switch" aria-checked={on} onClick={() => turn(!on)} className="button button-small">
            {on ? 'Turn heartbeats off' : 'Turn heartbeats on'}
          </button>
        </div>
      </div>
      <div role="status" data-testid="heartbeat-warning">
        {trouble?.kind === 'missed' && <Warning>A heartbeat did not reach the server. It is tried again by itself.</Warning>}
        {trouble?.kind === 'refused' && <Warning>A heartbeat was refused: {trouble.detail}</Warning>}
        {trouble?.kind === 'idle-soon' && <Warning>Are you still there? Heartbeats stop in {durationText(trouble.leftMs)}, unless you touch this page.</Warning>}
        {trouble?.kind === 'idle' && <Warning>Heartbeats have stopped, because nobody has touched a page for {idleText(idle)}. Turn them on again to keep the lock.</Warning>}
        {capSoon ? (
          <Warning>
            The 24 h cap ends this grant <Time at={instantOf(capAt)} relative={false} />, and no heartbeat can move it: push and release before then.
          </Warning>
        ) : (
          endSoon && <Warning>This grant ends in less than {durationText(Math.min(WARN_END_MS, termMs / 4))}: {on ? 'push soon' : 'send a heartbeat, or push and release'}.</Warning>
        )}
      </div>
    </section>
  );
}

/** A choice in whole hours or minutes, where it is one. */
const idleText = (seconds: number): string => (seconds % 3_600 === 0 ? `${seconds / 3_600} h` : seconds % 60 === 0 ? `${seconds / 60} min` : durationText(seconds * 1_000));

const Warning = ({ children }: { children: React.ReactNode }) => <p className="mt-2 font-medium text-caution">{children}</p>;
