'use client';

import { useId, type ReactNode } from 'react';
import type { GrantDay } from '../lib/lock-page/grant-days';
import type { GrantEnd, GrantHistory, GrantSpan } from '../lib/lock-page/grants';
import { dayText, durationText, utcText } from './duration';
import { endedText, EndSign, ENDS, GrantEndText } from './grant-ends';
import { Principal } from './principal';
import { useRoving } from './roving';
import { Time } from './time';

const DAY = 24 * 3_600_000;
/** Where bars lie, and where a day's column is whole. */
const LANE = { top: 26, height: 30 };
const WHOLE_DAY = { top: 16, height: 64 };

type Axis = { from: number; until: number; at: (ms: number) => number };
const axisOf = ({ since, now }: Pick<GrantHistory, 'since' | 'now'>): Axis => {
  const [from, until] = [Date.parse(since), Date.parse(now)];
  return { from, until, at: (ms) => Math.max(0, Math.min(1, (ms - from) / (until - from))) };
};

const percent = (part: number): string => `${(1 + 98 * part).toFixed(3)}%`;
const widthOf = (part: number): string => `${(98 * Math.max(0, part)).toFixed(3)}%`;
const lasted = (from: string, until: string): string => durationText(Date.parse(until) - Date.parse(from));
const pushesText = (n: number): string => (n === 0 ? 'no push' : n === 1 ? '1 push' : `${n} pushes`);

type Drawn = { slug: string; history: GrantHistory; label: string };

/** The picture's frame: its ground, the days beneath, and the details of the mark that is pointed at. */
function Frame({ history, ground, label, hint, details, children }: { history: GrantHistory; ground: { top: number; height: number }; label: string; hint: string; details: ReactNode; children: (ids: { hatch: string; axis: Axis }) => ReactNode }) {
  const id = useId().replace(/\W/g, '');
  const axis = axisOf(history);
  const base = ground.top + ground.height;
  const firstMidnight = Math.ceil(axis.from / DAY) * DAY;
  const ticks = Array.from({ length: 6 }, (_, i) => firstMidnight + i * 5 * DAY).filter((ms) => ms < axis.until);
  return (
    <div className="min-w-0">
      <svg role="group" aria-label={label} aria-describedby={`${id}-hint`} width="100%" height={base + 32} className="block" data-testid="grant-picture">
        <defs>
          <pattern id={`${id}-hatch`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" className="fill-silent-soft" />
            <line x1="0" x2="0" y1="0" y2="5" strokeWidth="3" className="stroke-silent" />
          </pattern>
        </defs>
        <rect x="1%" width="98%" y={ground.top} height={ground.height} rx="3" className="fill-sunken" />
        {ticks.map((ms, i) => (
          <g key={ms}>
            <line x1={percent(axis.at(ms))} x2={percent(axis.at(ms))} y1={ground.top} y2={base + 8} className="stroke-line" />
            <text x={percent(axis.at(ms))} y={base + 24} textAnchor={i === 0 && axis.at(ms) < 0.03 ? 'start' : 'middle'} className="fill-ink-faint text-[12px]">
              {dayText(ms)}
            </text>
          </g>
        ))}
        {children({ hatch: `url(#${id}-hatch)`, axis })}
        <line x1="99%" x2="99%" y1={ground.top} y2={base + 8} strokeWidth="1.5" className="stroke-ink" />
        <text x="99%" y={base + 24} textAnchor="end" className="fill-ink text-[12px] font-semibold">
          now
        </text>
      </svg>
      <p id={`${id}-hint`} className="sr-only">
        {hint}
      </p>
      <div aria-hidden className="mt-1 min-h-12 text-[0.9375rem] break-words" data-testid="grant-details">
        {details ?? <span className="text-ink-faint">{hint}</span>}
      </div>
    </div>
  );
}

/** A ring around the mark that has the focus, drawn: not every browser outlines what is inside a picture. */
const Ring = ({ x, width }: { x: string; width: string }) => (
  <rect x={x} width={width} y={LANE.top - 3} height={LANE.height + 6} rx="3" fill="none" strokeWidth="3" className="stroke-(--focus) opacity-0 group-focus-visible:opacity-100" />
);

const spanLabel = (span: GrantSpan): string =>
  `Grant ${span.grant}, ${span.holder.name}, from ${utcText(span.from)} to ${utcText(span.until)}, ${lasted(span.from, span.until)}, ${ENDS[span.end].word}, ${pushesText(span.pushes)}`;

/** Each grant a bar of its own: plain while it could land, hatched while its holder was silent, and a sign for how it ended. */
export function GrantBars({ slug, history, label }: Drawn) {
  const spans = history.spans.toReversed();
  const { active, markProps } = useRoving(spans.length);
  const shown = active === undefined ? undefined : spans[active];
  return (
    <Frame
      history={history}
      ground={LANE}
      label={label}
      hint="Point at a bar, or go from bar to bar with the arrow keys, for its details. Each leads to its place in the history."
      details={
        shown && (
          <>
            Grant <span className="font-mono">{shown.grant}</span>, <Principal principal={shown.holder} />: <Time at={shown.from} relative={false} /> to <Time at={shown.until} relative={false} />, {lasted(shown.from, shown.until)},{' '}
            <strong className="font-medium">{ENDS[shown.end].word}</strong>, {pushesText(shown.pushes)}.{shown.reason && <span className="text-ink-soft"> {shown.reason}</span>}
          </>
        )
      }
    >
      {({ hatch, axis }) =>
        spans.map((span, i) => {
          const [from, held, until] = [axis.at(Date.parse(span.from)), axis.at(Date.parse(span.heldUntil)), axis.at(Date.parse(span.until))];
          return (
            <a key={span.grant} data-mark="" href={`/c/${slug}/lock/history?grant=${span.grant}`} aria-label={spanLabel(span)} className="group outline-none" {...markProps(i)}>
              <rect x={percent(from)} width={widthOf(until - from)} y={LANE.top - 18} height={LANE.height + 24} fill="transparent" />
              {until > held && (
                <>
                  <rect x={percent(held)} width={widthOf(until - held)} y={LANE.top} height={LANE.height} fill={hatch} />
                  <rect x={percent(held)} width="2" y={LANE.top} height={LANE.height} className="fill-silent" />
                </>
              )}
              {held > 0 && (
                <>
                  <rect x={percent(from)} width={widthOf(held - from)} y={LANE.top} height={LANE.height} className="fill-held" />
                  <rect x={percent(from)} width="3" y={LANE.top} height={LANE.height} className="fill-held" />
                </>
              )}
              <line x1={percent(from)} x2={percent(from)} y1={LANE.top} y2={LANE.top + LANE.height} strokeWidth="1" className="stroke-surface" />
              <svg x={percent(until)} y={LANE.top - 11} overflow="visible">
                <EndSign end={span.end} />
              </svg>
              <Ring x={percent(from)} width={widthOf(Math.max(until - from, 0.012))} />
            </a>
          );
        })
      }
    </Frame>
  );
}

const dayLabel = (day: GrantDay): string =>
  `${dayText(Date.parse(day.from))}: ${day.grants === 1 ? '1 grant' : `${day.grants} grants`}, held for ${durationText(day.heldSeconds * 1000)}, silent for ${durationText(day.silentSeconds * 1000)}${endedText(day.ended) && `; ${endedText(day.ended)}`}`;

/** Grants too many to tell apart, summed by day: how long it was held, and above it, hatched, how long its holder was silent. */
export function GrantDays({ slug, history, label }: Drawn) {
  const { days } = history;
  const { active, markProps } = useRoving(days.length);
  const shown = active === undefined ? undefined : days[active];
  return (
    <Frame
      history={history}
      ground={WHOLE_DAY}
      label={label}
      hint="These are too many for a bar each, so each column is a day (UTC): its height is the part of the day in which the lock was held. Point at one, or use the arrow keys."
      details={shown && <>{dayLabel(shown)}.</>}
    >
      {({ hatch, axis }) =>
        days.map((day, i) => {
          const [from, until] = [axis.at(Date.parse(day.from)), axis.at(Date.parse(day.until))];
          const seconds = (Date.parse(day.until) - Date.parse(day.from)) / 1000;
          const part = (of: number) => (of === 0 ? 0 : Math.max(1.5, (of / seconds) * WHOLE_DAY.height));
          const [held, silent] = [part(day.heldSeconds), part(day.silentSeconds)];
          const base = WHOLE_DAY.top + WHOLE_DAY.height;
          const place = { x: percent(from + 0.002), width: widthOf(until - from - 0.004) };
          const href = day.lastGrant === null ? `/c/${slug}/lock/history` : `/c/${slug}/lock/history?grant=${day.lastGrant}`;
          return (
            <a key={day.from} data-mark="" href={href} aria-label={dayLabel(day)} className="group outline-none" {...markProps(i)}>
              <rect {...place} y={WHOLE_DAY.top} height={WHOLE_DAY.height} fill="transparent" />
              <rect {...place} y={base - held} height={held} className="fill-held" />
              <rect {...place} y={base - held - silent} height={silent} fill={hatch} />
              <rect {...place} y={WHOLE_DAY.top} height={WHOLE_DAY.height} rx="2" fill="none" strokeWidth="3" className="stroke-(--focus) opacity-0 group-focus-visible:opacity-100" />
            </a>
          );
        })
      }
    </Frame>
  );
}

/** What the signs and the hatching mean: those that are in the picture. */
export function GrantLegend({ ends, hatched }: { ends: GrantEnd[]; hatched: boolean }) {
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem] text-ink-soft">
      <li className="inline-flex items-center gap-1.5">
        <svg aria-hidden width="16" height="12">
          <rect width="16" height="12" rx="2" className="fill-held" />
        </svg>
        held
      </li>
      {hatched && (
        <li className="inline-flex items-center gap-1.5">
          <svg aria-hidden width="16" height="12">
            <rect width="16" height="12" rx="2" className="fill-silent-soft" />
            <path d="M2 12 10 0M8 12 16 0" strokeWidth="2.5" className="stroke-silent" />
          </svg>
          silent
        </li>
      )}
      {ends.map((end) => (
        <li key={end}>
          <GrantEndText end={end} />
        </li>
      ))}
    </ul>
  );
}
