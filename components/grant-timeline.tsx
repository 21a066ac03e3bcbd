import { History } from 'lucide-react';
import type { GrantEnd, GrantHistory, GrantSpan } from '../lib/lock-page/grants';
import { durationText } from './duration';
import { Empty } from './empty';
import { endedText, GrantEndText } from './grant-ends';
import { GrantBars, GrantDays, GrantLegend } from './grant-picture';
import { Link } from './link';
import { Principal } from './principal';
import { Table } from './table';
import { Time } from './time';

/** As many grants as have a bar each. */
const BARS = 40;

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0);
const lasted = (seconds: number): string => (seconds === 0 ? 'no time' : durationText(seconds * 1000));

/** What the whole time came to. */
function Summary({ history }: { history: GrantHistory }) {
  const { count, more, days } = history;
  const silent = sum(days.map((d) => d.silentSeconds));
  const ended = days.reduce((all, day) => ({ ...all, ...Object.fromEntries((Object.keys(day.ended) as GrantEnd[]).map((end) => [end, all[end] + day.ended[end]])) }), {
    released: 0,
    cleared: 0,
    superseded: 0,
    held: 0,
    silent: 0,
  });
  return (
    <p className="text-[0.9375rem]">
      {more && 'More than '}
      <strong>{count === 1 ? '1 grant' : `${count.toLocaleString('en')} grants`}</strong>, held for {lasted(sum(days.map((d) => d.heldSeconds)))} in all
      {silent > 0 && `, silent for ${lasted(silent)}`}: {endedText(ended)}.
    </p>
  );
}

/**
 * Who held the lock in the last 30 days, as a picture and in words: a bar for each grant, or,
 * where there are more than 40, a column for each day.
 * @param compact the picture alone, with the way to the words
 */
export function GrantTimeline({ slug, history, compact = false }: { slug: string; history: GrantHistory; compact?: boolean }) {
  if (history.count === 0) {
    return (
      <Empty title="Nobody has held this lock in the last 30 days" icon={History}>
        Each grant becomes a bar here: who held, from when to when, and how it ended. A release is the good end; a clear or a silence is one to talk about.
      </Empty>
    );
  }
  const label = `Grants of the last 30 days of ${slug}`;
  const summed = history.count > BARS;
  const ends = (['released', 'cleared', 'superseded', 'held', 'silent'] as const).filter((end) => history.spans.some((span) => span.end === end));
  return (
    <div className="flex flex-col gap-3">
      <Summary history={history} />
      {summed ? <GrantDays slug={slug} history={history} label={label} /> : <GrantBars slug={slug} history={history} label={label} />}
      {compact ? (
        <p className="text-[0.875rem]">
          <Link href={`/c/${slug}/lock#grants`} className="link">
            The same in words, on the lock page
          </Link>
        </p>
      ) : (
        <>
          <GrantLegend ends={summed ? [] : ends} hatched={history.days.some((day) => day.silentSeconds > 0)} />
          <details>
            <summary className="w-fit font-medium">In words</summary>
            <div className="-mx-4 mt-2 sm:-mx-5">
              <GrantTable spans={history.spans} />
            </div>
            {history.count > history.spans.length && (
              <p className="mt-3 text-[0.9375rem] text-ink-soft">
                These are the newest {history.spans.length}.{' '}
                <Link href={`/c/${slug}/lock/history`} className="link">
                  Show all, in the history
                </Link>
              </p>
            )}
          </details>
        </>
      )}
    </div>
  );
}

function GrantTable({ spans }: { spans: GrantSpan[] }) {
  return (
    <Table
      caption="Grants of the last 30 days"
      columns={[
        { key: 'grant', label: 'Grant' },
        { key: 'who', label: 'Who', lead: true },
        { key: 'from', label: 'From' },
        { key: 'until', label: 'To' },
        { key: 'lasted', label: 'How long' },
        { key: 'end', label: 'How it ended' },
        { key: 'pushes', label: 'Pushes', align: 'end' },
      ]}
      rows={spans.map((span) => ({
        id: span.grant,
        cells: {
          grant: <span className="font-mono">{span.grant}</span>,
          who: <Principal principal={span.holder} />,
          from: <Time at={span.from} relative={false} />,
          until: span.end === 'held' || span.end === 'silent' ? 'now' : <Time at={span.until} relative={false} />,
          lasted: durationText(Date.parse(span.until) - Date.parse(span.from)),
          end: <GrantEndText end={span.end} />,
          pushes: String(span.pushes),
        },
      }))}
    />
  );
}
