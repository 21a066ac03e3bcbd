'use client';

import clsx from 'clsx';
import { useId } from 'react';
import type { Badge } from '../lib/lock-page/badge';

type Box = { x: number; y: number; width: number; height: number };
type Step = { from: Badge; to: Badge; verb: string; when?: string };

const STATES: Record<Badge, { className: string; mark: string; means: string }> = {
  OPEN: { className: 'fill-open-soft stroke-open', mark: 'fill-open', means: 'Nobody holds the lock and nobody waits: whoever asks may have it.' },
  HELD: { className: 'fill-held-soft stroke-held', mark: 'fill-held', means: 'Somebody holds it until its expiry. Heartbeats put that off, up to 24 h from the beginning; pushes land.' },
  'HOLDER SILENT': { className: 'fill-silent-soft stroke-silent', mark: 'fill-silent', means: 'The expiry has passed and the holder is still on the page. Nothing that it holds can land.' },
  HANDOVER: { className: 'fill-handover-soft stroke-handover', mark: 'fill-handover', means: 'Nobody holds it and somebody waits. Each waiter has a turn, in the order of the petitions.' },
};

const STEPS: Step[] = [
  { from: 'OPEN', to: 'HELD', verb: 'acquire' },
  { from: 'OPEN', to: 'HANDOVER', verb: 'petition' },
  { from: 'HELD', to: 'HELD', verb: 'heartbeat, push' },
  { from: 'HELD', to: 'OPEN', verb: 'release', when: 'nobody waits' },
  { from: 'HELD', to: 'HANDOVER', verb: 'release', when: 'somebody waits' },
  { from: 'HELD', to: 'HOLDER SILENT', verb: 'expiry passes' },
  { from: 'HOLDER SILENT', to: 'HELD', verb: 'acquire', when: 'in one’s turn' },
  { from: 'HOLDER SILENT', to: 'OPEN', verb: 'clear', when: 'nobody waits' },
  { from: 'HOLDER SILENT', to: 'HANDOVER', verb: 'clear', when: 'somebody waits' },
  { from: 'HANDOVER', to: 'HELD', verb: 'acquire', when: 'in one’s turn' },
  { from: 'HANDOVER', to: 'HANDOVER', verb: 'turn passes', when: 'to the next, too' },
  { from: 'HANDOVER', to: 'OPEN', verb: 'withdraw', when: 'the last one' },
];

/** A step's line and where its words stand; `turning` is a sign in the state's own box, for what leaves it as it is. */
type Drawn = { path?: string; turning?: [number, number]; x: number; y: number; anchor?: 'start' | 'end' };
type Layout = {
  width: number;
  height: number;
  font: string;
  boxes: Record<Badge, Box>;
  /** How each step of STEPS runs, and where its words stand, in that order. */
  arrows: Drawn[];
  /** Whether the words say when, too. */
  conditions: boolean;
  /** The typeface's size of the states' names. */
  names: string;
};

const WIDE: Layout = {
  width: 800,
  height: 372,
  font: 'text-[13px]',
  names: 'text-[13px]',
  conditions: true,
  boxes: {
    OPEN: { x: 16, y: 112, width: 150, height: 60 },
    HELD: { x: 325, y: 112, width: 150, height: 60 },
    'HOLDER SILENT': { x: 634, y: 112, width: 150, height: 60 },
    HANDOVER: { x: 325, y: 258, width: 150, height: 60 },
  },
  arrows: [
    { path: 'M166 130H325', x: 245, y: 122 },
    { path: 'M76 172V278Q76 302 100 302H325', x: 212, y: 320 },
    { path: 'M372 112C366 68 434 68 428 112', x: 400, y: 70 },
    { path: 'M325 154H166', x: 245, y: 172 },
    { path: 'M376 172V258', x: 366, y: 212, anchor: 'end' },
    { path: 'M475 130H634', x: 555, y: 122 },
    { path: 'M634 154H475', x: 555, y: 172 },
    { path: 'M749 112V52Q749 28 725 28H75Q51 28 51 52V112', x: 400, y: 20 },
    { path: 'M709 172V264Q709 288 685 288H475', x: 590, y: 306 },
    { path: 'M424 258V172', x: 434, y: 212, anchor: 'start' },
    { path: 'M372 318C366 356 434 356 428 318', x: 400, y: 364 },
    { path: 'M325 274H140Q116 274 116 250V172', x: 212, y: 250 },
  ],
};

const NARROW: Layout = {
  width: 326,
  height: 392,
  font: 'text-[11.5px]',
  names: 'text-[12px]',
  conditions: false,
  boxes: {
    OPEN: { x: 62, y: 22, width: 118, height: 50 },
    HELD: { x: 62, y: 158, width: 118, height: 58 },
    'HOLDER SILENT': { x: 62, y: 312, width: 118, height: 50 },
    HANDOVER: { x: 230, y: 158, width: 94, height: 58 },
  },
  arrows: [
    { path: 'M97 72V158', x: 90, y: 118, anchor: 'end' },
    { path: 'M180 36H280Q300 36 300 56V158', x: 236, y: 29 },
    { turning: [70, 193], x: 88, y: 205, anchor: 'start' },
    { path: 'M145 158V72', x: 152, y: 118, anchor: 'start' },
    { path: 'M180 176H230', x: 205, y: 169 },
    { path: 'M97 216V312', x: 90, y: 268, anchor: 'end' },
    { path: 'M145 312V216', x: 152, y: 268, anchor: 'start' },
    { path: 'M62 337H30Q12 337 12 319V65Q12 47 30 47H62', x: 19, y: 192, anchor: 'start' },
    { path: 'M180 337H260Q278 337 278 319V216', x: 222, y: 354 },
    { path: 'M230 200H180', x: 205, y: 216 },
    { turning: [237, 193], x: 254, y: 205, anchor: 'start' },
    { path: 'M256 158V82Q256 62 236 62H180', x: 220, y: 79 },
  ],
};

/**
 * The life of a lock as a picture, with the state that it is in now marked by weight, a tag and
 * colour, and the ways out of it drawn stronger. In words beneath, for whoever does not see it.
 */
export function LockCycle({ badge }: { badge: Badge }) {
  return (
    <div>
      <Picture layout={WIDE} badge={badge} className="mx-auto hidden h-auto w-full max-w-[50rem] md:block" />
      <Picture layout={NARROW} badge={badge} className="mx-auto block h-auto w-full max-w-[26rem] md:hidden" />
      <details className="mt-4">
        <summary className="w-fit font-medium">In words</summary>
        <dl className="mt-3 grid gap-x-8 gap-y-4 sm:grid-cols-2">
          {(Object.keys(STATES) as Badge[]).map((state) => (
            <div key={state} className="min-w-0">
              <dt className="font-mono text-[0.875rem] font-semibold">
                {state}
                {state === badge && <span className="ml-2 rounded bg-ink px-1.5 py-0.5 font-sans text-[0.75rem] text-paper">now</span>}
              </dt>
              <dd className="mt-1 text-[0.9375rem] text-ink-soft">{STATES[state].means}</dd>
              {STEPS.filter((step) => step.from === state).map((step) => (
                <dd key={`${step.verb}-${step.to}`} className="mt-0.5 text-[0.9375rem] text-ink-soft">
                  <span className="font-medium text-ink">{step.verb}</span>
                  {step.when && ` (${step.when})`}: {step.to === state ? 'it stays so' : `it becomes ${step.to}`}
                </dd>
              ))}
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}

function Picture({ layout, badge, className }: { layout: Layout; badge: Badge; className: string }) {
  const id = useId().replace(/\W/g, '');
  const { width, height, font, names, boxes, arrows, conditions } = layout;
  return (
    <svg role="img" aria-labelledby={`${id}-title`} aria-describedby={`${id}-text`} viewBox={`0 0 ${width} ${height}`} className={className} data-testid="lock-cycle">
      <title id={`${id}-title`}>{`The life of a lock. It is ${badge} now.`}</title>
      <desc id={`${id}-text`}>{STEPS.map((step) => `${step.from}, ${step.verb}${step.when ? ` (${step.when})` : ''}: ${step.to}.`).join(' ')}</desc>
      <defs>
        {['soft', 'strong'].map((kind) => (
          <marker key={kind} id={`${id}-${kind}`} viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse">
            <path d="M0 0.5 10 5 0 9.5z" className={kind === 'strong' ? 'fill-ink' : 'fill-line-strong'} />
          </marker>
        ))}
      </defs>
      {(Object.keys(STATES) as Badge[]).map((state) => (
        <State key={state} state={state} box={boxes[state]} now={state === badge} names={names} low={!conditions && boxes[state].height > 55} />
      ))}
      {STEPS.map((step, i) => {
        const { path, turning, x, y, anchor = 'middle' } = arrows[i]!;
        const next = step.from === badge;
        const below = conditions && step.when && anchor !== 'middle';
        return (
          <g key={i}>
            {turning && (
              <path
                d="M10.5 6a4.5 4.5 0 1 1-4.5-4.5c1.3 0 2.4.5 3.3 1.4L10.5 4M10.5 1v3h-3"
                transform={`translate(${turning.join(' ')}) scale(1.15)`}
                fill="none"
                strokeWidth={next ? 1.75 : 1.1}
                className={next ? 'stroke-ink' : 'stroke-line-strong'}
              />
            )}
            {path && <path d={path} fill="none" strokeWidth={next ? 2.25 : 1.25} markerEnd={`url(#${id}-${next ? 'strong' : 'soft'})`} className={next ? 'stroke-ink' : 'stroke-line-strong'} />}
            <text x={x} y={y} textAnchor={anchor} className={clsx(font, next ? 'fill-ink font-semibold' : 'fill-ink-soft')}>
              {step.verb}
              {conditions && step.when && !below && <tspan className="fill-ink-faint font-normal">{`, ${step.when}`}</tspan>}
              {below && (
                <tspan x={x} dy="1.3em" className="fill-ink-faint font-normal">
                  {step.when}
                </tspan>
              )}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** One state. `low` leaves room in its box for what it does by itself. */
function State({ state, box, now, names, low }: { state: Badge; box: Box; now: boolean; names: string; low: boolean }) {
  const { className, mark } = STATES[state];
  const name = low ? box.y + 24 : box.y + box.height / 2 + 5;
  return (
    <g data-now={now || undefined}>
      <rect {...box} rx="10" strokeWidth={now ? 3.5 : 1.5} strokeDasharray={state === 'HANDOVER' && !now ? '5 4' : undefined} className={now ? className : 'fill-none stroke-line-strong'} />
      <text x={box.x + box.width / 2} y={name} textAnchor="middle" className={clsx('font-mono tracking-wide', names, now ? 'fill-ink font-bold' : 'fill-ink-soft font-medium')}>
        {state}
      </text>
      {now && (
        <>
          <rect x={box.x + box.width / 2 - 19} y={box.y - 10} width="38" height="19" rx="5" className={mark} />
          <text x={box.x + box.width / 2} y={box.y + 4} textAnchor="middle" className="fill-paper text-[12px] font-bold">
            now
          </text>
        </>
      )}
    </g>
  );
}
