import { useId } from 'react';
import type { Evidence } from '../lib/lock-page/evidence';
import { utcText } from './duration';

type Beats = Pick<Evidence, 'grant' | 'holder' | 'grantedAt' | 'expiresAt' | 'lastBeatAt' | 'now' | 'beats' | 'beatCount' | 'missed'>;

/** The silence's part of the line: enough to be seen, and not so much that the grant cannot be read. */
const LEAST = 0.15;
const MOST = 0.32;
/** Marks closer than this, as a part of the line, are one. */
const CLOSE = 0.014;
const [LEFT, RIGHT] = [3, 97];
const AXIS = 44;

const percent = (part: number): string => `${(LEFT + (RIGHT - LEFT) * part).toFixed(2)}%`;

/** Those of `parts` that are not too close to the one before. */
function apart(parts: number[]): number[] {
  const kept: number[] = [];
  for (const part of parts) if (kept.length === 0 || part - kept.at(-1)! >= CLOSE) kept.push(part);
  return kept;
}

/** Where instants lie on the line, 0 to 1: the grant to scale, the silence after it shortened where it is long. */
function scale({ grantedAt, expiresAt, now }: Beats) {
  const [from, expiry, end] = [Date.parse(grantedAt), Date.parse(expiresAt), Date.parse(now)];
  const [grant, silence] = [Math.max(1, expiry - from), Math.max(1, end - expiry)];
  const share = silence / (grant + silence);
  const silent = Math.min(MOST, Math.max(LEAST, share));
  return {
    expiry: 1 - silent,
    shortened: share > MOST,
    of: (at: string): number => Math.max(0, Math.min(1, ((Date.parse(at) - from) / grant) * (1 - silent))),
  };
}

/** Heartbeats that came and that did not on one line: from the grant over the expiry to now. */
export function BeatLine({ evidence }: { evidence: Beats }) {
  const id = useId().replace(/\W/g, '');
  const { of, expiry, shortened } = scale(evidence);
  const last = of(evidence.lastBeatAt);
  const side = last < 0.2 ? 'start' : last > 0.6 ? 'end' : 'middle';
  const came = apart(evidence.beats.map(of));
  const missed = apart(evidence.missed.at.map(of)).filter((part) => part < expiry - CLOSE / 2);
  return (
    <figure className="min-w-0">
      <svg role="img" aria-labelledby={`${id}-title`} aria-describedby={`${id}-text`} width="100%" height="92" className="block overflow-visible" data-testid="beat-line">
        <title id={`${id}-title`}>{`Heartbeats of grant ${evidence.grant} of ${evidence.holder.name}`}</title>
        <desc id={`${id}-text`}>
          {`Granted ${utcText(evidence.grantedAt)}. ${evidence.beatCount} heartbeats came, the last sign ${utcText(evidence.lastBeatAt)}. ${evidence.missed.count} that were expected did not come. Expired ${utcText(evidence.expiresAt)}; now it is ${utcText(evidence.now)}.`}
        </desc>
        <rect x={percent(0)} width={`${((RIGHT - LEFT) * expiry).toFixed(2)}%`} y={AXIS - 11} height="22" className="fill-held-soft" />
        <rect x={percent(expiry)} width={`${((RIGHT - LEFT) * (1 - expiry)).toFixed(2)}%`} y={AXIS - 11} height="22" className="fill-silent-soft" />
        <line x1={percent(0)} x2={percent(expiry)} y1={AXIS} y2={AXIS} strokeWidth="1.5" className="stroke-held-line" />
        <line x1={percent(expiry)} x2={percent(1)} y1={AXIS} y2={AXIS} strokeWidth="2" strokeDasharray="2 5" className="stroke-silent" />
        {shortened && (
          <svg x={percent((1 + expiry) / 2)} y={AXIS} overflow="visible">
            <path d="M-6 7 0 -7M0 7 6 -7" strokeWidth="1.5" className="stroke-silent" />
          </svg>
        )}
        <line x1={percent(0)} x2={percent(0)} y1={AXIS - 11} y2={AXIS + 18} strokeWidth="1.5" className="stroke-held" />
        <line x1={percent(expiry)} x2={percent(expiry)} y1={AXIS - 16} y2={AXIS + 18} strokeWidth="2.5" className="stroke-silent" />
        <line x1={percent(last)} x2={percent(last)} y1={AXIS - 20} y2={AXIS} strokeWidth="1.25" className="stroke-held" />
        {came.map((part) => (
          <circle key={part} cx={percent(part)} cy={AXIS} r="4.5" className="fill-held" />
        ))}
        <circle cx={percent(last)} cy={AXIS} r="5.5" className="fill-held" />
        {missed.map((part) => (
          <circle key={part} cx={percent(part)} cy={AXIS} r="5" strokeWidth="1.75" strokeDasharray="3 2" className="fill-surface stroke-silent" />
        ))}
        <svg x={percent(1)} y={AXIS} overflow="visible">
          <path d="M0 -12V12" strokeWidth="1.5" className="stroke-ink" />
          <path d="M-5 -18H5L0 -11z" className="fill-ink" />
        </svg>
        <text x={percent(last)} y="16" textAnchor={side} className="fill-ink-soft text-[12px]">
          {evidence.beatCount > 0 ? 'last heartbeat' : 'no heartbeat since'}
        </text>
        <text x={percent(1)} y="16" textAnchor="end" className="fill-ink text-[12px] font-semibold">
          now
        </text>
        <text x={percent(0)} y="78" className="fill-ink-soft text-[12px]">
          granted
        </text>
        <text x={percent(expiry)} y="78" textAnchor="middle" className="fill-silent-line text-[12px] font-semibold">
          expired
        </text>
      </svg>
      <figcaption className="mt-1 flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem] text-ink-soft">
        <span className="inline-flex items-center gap-1.5">
          <svg aria-hidden width="12" height="12">
            <circle cx="6" cy="6" r="4.5" className="fill-held" />
          </svg>
          heartbeat that came
        </span>
        <span className="inline-flex items-center gap-1.5">
          <svg aria-hidden width="14" height="14">
            <circle cx="7" cy="7" r="5" fill="none" strokeWidth="1.75" strokeDasharray="3 2" className="stroke-silent" />
          </svg>
          expected, did not come
        </span>
        {shortened && <span>The silence is drawn shorter than it is.</span>}
        {(came.length < evidence.beatCount || missed.length < evidence.missed.count) && <span>Where they lie close, one mark stands for several.</span>}
      </figcaption>
    </figure>
  );
}
