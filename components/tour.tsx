'use client';

import { Check, Compass } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Practice, Step } from '../lib/practice/read';
import type { FormAction } from './action-result';
import { Form } from './form';
import { Link } from './link';
import { store, storedText } from './storage';
import { Submit } from './submit';

type Told = { name: string; title: string; text: ReactNode; where: string; anchor: string; button: string };

const STEPS: Record<Exclude<Step, 'done'>, Told> = {
  petition: {
    name: 'Ask',
    title: 'Ask for the lock',
    text: 'The guide holds this lock, so you cannot write yet. Say why you need it: your petition takes a place in the queue, and the guide sees your reason.',
    where: 'lock',
    anchor: 'act',
    button: 'Go to the lock page',
  },
  turn: {
    name: 'Wait',
    title: 'Wait for your turn',
    text: 'You are in the queue. The guide reads your reason, pushes what it has, and releases. Watch the badge: it goes from HELD to HANDOVER by itself.',
    where: 'lock',
    anchor: 'queue',
    button: 'Watch the lock page',
  },
  acquire: {
    name: 'Acquire',
    title: 'Acquire the lock',
    text: 'It is your turn, and yours alone for a while. Acquire: you get a grant, a number that only you may write under, with an end.',
    where: 'lock',
    anchor: 'act',
    button: 'Go to the lock page',
  },
  lease: {
    name: 'Lease',
    title: 'Lease some identifiers',
    text: 'You hold the lock, and this page sends heartbeats for you. New entries need identifiers: lease a few to yourself.',
    where: 'collaboration',
    anchor: 'leases',
    button: 'Go to collaboration',
  },
  draft: {
    name: 'Draft',
    title: 'Write a draft',
    text: 'A draft is yours alone until you push. Write anything, and save it.',
    where: 'drafts',
    anchor: 'draft',
    button: 'Go to drafts',
  },
  push: {
    name: 'Push',
    title: 'Push your draft',
    text: 'A push lands your drafts in the register, whole or not at all, and only under the grant that holds now. Say what changed.',
    where: 'drafts',
    anchor: 'push',
    button: 'Go to drafts',
  },
  release: {
    name: 'Release',
    title: 'Release the lock',
    text: 'Your work is in the register. Release, and whoever waits next has its turn. Without a push you could not.',
    where: 'lock',
    anchor: 'act',
    button: 'Go to the lock page',
  },
};
const NAMES = Object.keys(STEPS) as Exclude<Step, 'done'>[];
/** How long the guide reads a petition, in milliseconds. */
const GUIDE_READS_MS = 4_000;
const HIDDEN_KEY = 'holdfast.tour.hidden';

type Props = { practice: Practice | undefined; begin: FormAction; askGuide: FormAction };

/**
 * The guided first visit, at the head of every page: what to do next, where, and why. It
 * stands in the page's flow and takes nothing away: each step is done in the page's own forms.
 */
export function Tour({ practice, begin, askGuide }: Props) {
  const [hidden, setHidden] = useState<string>();
  useEffect(() => {
    // eslint-disable-next-line react-hooks/set-state-in-effect -- kept by this browser alone
    setHidden(storedText(HIDDEN_KEY) ?? '');
  }, []);
  const key = practice ? `${practice.slug}.${practice.step === 'done' ? 'done' : 'on'}` : 'offer';
  const close = () => {
    store(HIDDEN_KEY, key);
    setHidden(key);
  };
  if (hidden === key) return null;
  if (!practice) return <Offer begin={begin} close={close} />;
  if (practice.step === 'done') return <Finished slug={practice.slug} begin={begin} close={close} />;
  return <Guided practice={practice} step={practice.step} askGuide={askGuide} close={close} />;
}

const Card = ({ children }: { children: ReactNode }) => (
  <aside aria-label="Guided first visit" data-testid="tour" className="mb-6 rounded-xl border border-accent bg-accent-soft p-4 sm:p-5">
    {children}
  </aside>
);

const Close = ({ close, children }: { close: () => void; children: ReactNode }) => (
  <button type="button" onClick={close} className="button button-small button-quiet">
    {children}
  </button>
);

function Offer({ begin, close }: { begin: FormAction; close: () => void }) {
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Compass aria-hidden className="size-7 shrink-0 text-accent" />
        <div className="min-w-0 grow basis-72">
          <h2 className="text-base font-semibold">New here? Go once all the way through</h2>
          <p className="mt-0.5 text-[0.9375rem] text-ink-soft">Ask for a lock, get your turn, write, push and hand over: in a container of your own, in five minutes.</p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Form action={begin} label="Begin the guided visit" inline>
            <Submit>Show me</Submit>
          </Form>
          <Close close={close}>Not now</Close>
        </div>
      </div>
    </Card>
  );
}

function Finished({ slug, begin, close }: { slug: string; begin: FormAction; close: () => void }) {
  return (
    <Card>
      <h2 className="text-base font-semibold">That is all there is to it</h2>
      <p className="mt-1 max-w-[68ch] text-[0.9375rem] text-ink-soft">
        You asked, waited, held, pushed and released. Your entry is in <Link href={`/c/${slug}`} className="link">the copy</Link>, and{' '}
        <Link href={`/c/${slug}/register`} className="link">the register</Link> says who landed it, when, and under which grant.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Close close={close}>Close</Close>
        <Form action={begin} label="Begin again" inline>
          <Submit variant="quiet" small>
            Once more
          </Submit>
        </Form>
      </div>
    </Card>
  );
}

/** Where a grant ran out, the guide's or the newcomer's own, nobody holds the lock. */
const RAN_OUT = 'The grant that held this lock has run out. Where the lock page lets you acquire, do; else say why you need it, and wait for your turn.';

function Guided({ practice: { slug, held, identifier }, step, askGuide, close }: { practice: Practice; step: Exclude<Step, 'done'>; askGuide: FormAction; close: () => void }) {
  const path = usePathname();
  const { title, text, where, anchor, button } = STEPS[step];
  const card = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  // A step that was done brings the next into view; nobody who types is moved.
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    if (document.activeElement?.matches('input, textarea, select')) return;
    card.current?.scrollIntoView({ block: 'nearest' });
  }, [step]);
  const at = NAMES.indexOf(step);
  const there = path === `/c/${slug}/${where}`;
  return (
    <Card>
      <div ref={card} className="scroll-mt-24" />
      <p className="text-[0.8125rem] font-medium text-ink-soft">
        Guided visit: step {at + 1} of {NAMES.length}
      </p>
      <h2 className="mt-0.5 text-lg font-semibold">{title}</h2>
      <p className="mt-1 max-w-[68ch] text-[0.9375rem]">
        {step === 'petition' && !held ? RAN_OUT : text}
        {step === 'draft' && identifier && (
          <>
            {' '}
            Use <span className="font-mono">{identifier}</span>.
          </>
        )}
      </p>
      <ol aria-label="Steps" className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-[0.875rem]">
        {NAMES.map((name, index) => (
          <li key={name} aria-current={index === at ? 'step' : undefined} className={index === at ? 'font-semibold' : 'text-ink-soft'}>
            {index < at ? <Check aria-hidden className="mr-1 inline size-4 text-good" /> : <span aria-hidden className="mr-1 font-mono">{index + 1}</span>}
            {STEPS[name].name}
            {index < at && <span className="sr-only"> (done)</span>}
          </li>
        ))}
      </ol>
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <Link href={`/c/${slug}/${where}#${anchor}`} className={there ? 'button button-small' : 'button button-primary'}>
          {there ? 'Show me where' : button}
        </Link>
        {step === 'turn' && <Wait askGuide={askGuide} />}
        <Close close={close}>Leave the visit</Close>
      </div>
    </Card>
  );
}

/** The guide reads for a moment, and then hands over by itself; without scripts it is asked to. */
function Wait({ askGuide }: { askGuide: FormAction }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const soon = setTimeout(() => box.current?.querySelector('form')?.requestSubmit(), GUIDE_READS_MS);
    return () => clearTimeout(soon);
  }, []);
  return (
    <div ref={box}>
      <Form action={askGuide} label="Ask the guide" inline>
        <Submit variant="plain" small pendingText="The guide hands over…">
          Ask the guide to hand over now
        </Submit>
      </Form>
    </div>
  );
}
