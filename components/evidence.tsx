import type { ReactNode } from 'react';
import type { AskBecause, Evidence as Known, LastEdit } from '../lib/lock-page/evidence';
import { BeatLine } from './beat-line';
import { durationText } from './duration';
import { Elapsed } from './elapsed';
import { Facts } from './facts';
import { Link } from './link';
import { Principal } from './principal';
import { Time } from './time';

const BECAUSE: Record<AskBecause, string> = {
  holder: 'the holder itself',
  block: 'has an open block',
  lease: 'has a lease',
  waiting: 'waits for the lock',
  'held-before': 'held it of late',
};

const PLACES: Record<LastEdit['on'], { name: string; path: string }> = {
  lock: { name: 'the lock page', path: 'lock/history' },
  collaboration: { name: 'the collaboration page', path: 'collaboration/history' },
  drafts: { name: 'its drafts', path: 'drafts' },
};

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
/** As many as are told one by one. */
const TOLD = 8;

/**
 * What is known of a silent holder, for whoever must decide to wait, to ask, or to clear: the
 * heartbeats that came and that did not, its last edit and push, who could be asked, what a
 * clear ends and what it keeps (LP-7, LP-8).
 */
export function Evidence({ slug, evidence }: { slug: string; evidence: Known }) {
  const { holder, grant, expiresAt, now, lastEdit, lastPush, waiting } = evidence;
  return (
    <div data-testid="evidence" className="flex min-w-0 flex-col gap-5">
      <p className="break-words">
        <strong>{holder.name}</strong> has been silent for{' '}
        <strong>
          <Elapsed since={expiresAt} now={now} />
        </strong>
        : grant <span className="font-mono">{grant}</span> ran out <Time at={expiresAt} />. <Expected evidence={evidence} />
      </p>
      <BeatLine evidence={evidence} />
      <details>
        <summary className="w-fit font-medium">The heartbeats in words</summary>
        <BeatList evidence={evidence} />
      </details>
      <Facts
        facts={[
          { label: 'Last heartbeat', value: evidence.beatCount > 0 ? <Time at={evidence.lastBeatAt} /> : 'none after it was granted' },
          { label: 'Last edit by the holder', value: lastEdit ? <Edit slug={slug} edit={lastEdit} /> : 'none under this grant' },
          {
            label: 'Last push under this grant',
            value: lastPush ? (
              <>
                <Link href={`/c/${slug}/register/${lastPush.sequence}`} className="link">
                  Landing {lastPush.sequence}
                </Link>
                , {lastPush.entries === 0 ? 'nothing to land' : count(lastPush.entries, 'entry', 'entries')}, <Time at={lastPush.at} />
              </>
            ) : (
              'none'
            ),
          },
          { label: 'Waiting', value: waiting === 0 ? 'nobody' : waiting },
        ]}
      />
      <div className="grid gap-5 border-t border-line pt-5 md:grid-cols-2 md:gap-8">
        <Part title="Who could be asked">
          <ul className="space-y-1.5" aria-label="Who could be asked">
            {evidence.ask.slice(0, TOLD).map(({ principal, because }) => (
              <li key={principal.id} className="break-words">
                <Principal principal={principal} /> <span className="text-[0.9375rem] text-ink-soft">{because.map((why) => BECAUSE[why]).join(', ')}</span>
              </li>
            ))}
            {evidence.ask.length > TOLD && <li className="text-ink-soft">and {count(evidence.ask.length - TOLD, 'other')}</li>}
          </ul>
        </Part>
        <Part title="When this grant is cleared, or another follows">
          <AtStake evidence={evidence} />
        </Part>
      </div>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-2 text-[0.9375rem] font-semibold">{title}</h3>
      {children}
    </div>
  );
}

/** What was expected of it, and by what measure. */
function Expected({ evidence: { rhythm, missed, termSeconds } }: { evidence: Known }) {
  const every = rhythm.seconds < 1 ? 'fraction of a second' : durationText(rhythm.seconds * 1000);
  const measure = rhythm.from === 'beats' ? 'the median gap of its heartbeats' : `a third of its term of ${durationText(termSeconds * 1000)}, as it sent none`;
  if (missed.count === 0) return <>No heartbeat was missing before the expiry: one was expected every {every}, {measure}.</>;
  return (
    <>
      A heartbeat was expected every {every}, {measure}: {missed.count === 1 ? 'one' : missed.count.toLocaleString('en')} did not come before the expiry.
    </>
  );
}

const Edit = ({ slug, edit }: { slug: string; edit: LastEdit }) => (
  <>
    {edit.on === 'drafts' ? edit.summary : `“${edit.summary}”`}, {edit.on !== 'drafts' && 'on '}
    {edit.on === 'drafts' ? (
      <Time at={edit.at} />
    ) : (
      <>
        <Link href={`/c/${slug}/${PLACES[edit.on].path}?revision=${edit.revision}`} className="link">
          {PLACES[edit.on].name}
        </Link>
        , <Time at={edit.at} />
      </>
    )}
  </>
);

function AtStake({ evidence: { atStake, grant } }: { evidence: Known }) {
  const { leases, blocks, passes, amendments, drafts } = atStake;
  const lost = [
    ...leases.map((lease) => ({
      key: `lease-${lease.from}`,
      text: (
        <>
          lease <span className="font-mono text-[0.875rem]">{lease.from === lease.through ? lease.from : `${lease.from} to ${lease.through}`}</span> of {lease.to.name} is reclaimed
        </>
      ),
    })),
    ...blocks.map((block, i) => ({ key: `block-${i}`, text: <>block “{block.title}” of {block.assignee.name} is closed</> })),
    ...passes.map((pass, i) => ({ key: `pass-${i}`, text: <>the pass on {pass.arrow}, {pass.role} in {pass.context}, is aborted</> })),
    ...(amendments > 0 ? [{ key: 'amendments', text: <>{count(amendments, 'amendment')} that wait need a new justification</> }] : []),
  ];
  return (
    <>
      <p className="text-[0.8125rem] font-medium text-ink-faint">Ends</p>
      <ul aria-label="Ends with the grant" className="mt-0.5 list-disc space-y-1 pl-5 text-[0.9375rem]">
        <li>grant {grant}: nothing under it can land again</li>
        {lost.slice(0, TOLD).map(({ key, text }) => (
          <li key={key} className="break-words">
            {text}
          </li>
        ))}
        {lost.length > TOLD && <li>and {count(lost.length - TOLD, 'other')}</li>}
        {lost.length === 0 && <li>no lease, block or pass is open</li>}
      </ul>
      <p className="mt-3 text-[0.8125rem] font-medium text-ink-faint">Is kept</p>
      <ul aria-label="Kept after the grant" className="mt-0.5 list-disc space-y-1 pl-5 text-[0.9375rem]">
        <li>all that has landed</li>
        <li>{drafts === 0 ? 'drafts, if there were any: none is open under this grant' : `${count(drafts, 'draft')}, for their authors, who can copy them to a later grant of their own`}</li>
      </ul>
    </>
  );
}

/** What the line shows, in words and in its order. */
function BeatList({ evidence }: { evidence: Known }) {
  const { beats, beatCount, missed } = evidence;
  const [shown, named] = [beats.slice(-TOLD), missed.at.slice(0, TOLD)];
  const rows: { what: string; at?: string }[] = [
    { what: 'Granted', at: evidence.grantedAt },
    ...(beatCount > shown.length ? [{ what: `${count(beatCount - shown.length, 'earlier heartbeat')} came` }] : []),
    ...shown.map((at) => ({ what: 'Heartbeat came', at })),
    ...named.map((at) => ({ what: 'Expected, did not come', at })),
    ...(missed.count > named.length ? [{ what: `${(missed.count - named.length).toLocaleString('en')} more were expected and did not come` }] : []),
    { what: 'Expired', at: evidence.expiresAt },
    { what: 'Now', at: evidence.now },
  ];
  return (
    <ol aria-label={`Heartbeats of grant ${evidence.grant}`} className="mt-2 text-[0.9375rem]">
      {rows.map(({ what, at }, i) => (
        <li key={i} className="grid grid-cols-2 gap-x-4 border-b border-line py-1.5 last:border-0 sm:grid-cols-[16rem_1fr]">
          <span className={at ? undefined : 'col-span-2'}>{what}</span>
          {at && <Time at={at} relative={false} />}
        </li>
      ))}
    </ol>
  );
}
