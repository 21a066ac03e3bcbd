'use client';

import clsx from 'clsx';
import { unstable_rethrow, usePathname } from 'next/navigation';
import dynamic from 'next/dynamic';
import { startTransition as startQuietly, useActionState, useCallback, useEffect, useId, useLayoutEffect, useRef, useState, useTransition, type FormEvent, type ReactNode } from 'react';
import { idle, MADE_FOR, type ActionResult, type Fault, type FormAction, type Refused } from './action-result';
import { fieldId, FormContext } from './form-context';
import { forget, forgetText, formIsHere, keep as keepText, recall, type Typed } from './kept-text';
import { hold, letGo } from './live/held';
import { Lazily } from './live/lazily';
import { current } from './live/store';
import { announce, announceRefusal } from './live-region';
import { Once } from './once';
import { Refusal } from './refusal';
import { refusalText } from './refusal-text';
import { useViewerId } from './viewer-context';

// Only a conflict needs the merging and the difference of texts.
const Conflict = dynamic(() => import('./conflict').then((m) => m.Conflict));

type Props = {
  action: FormAction;
  /** The form's accessible name. */
  label: string;
  children: ReactNode;
  /** Fields that nobody sees. */
  hidden?: Record<string, string | number>;
  /** The revision that the viewer saw, posted as `base` (LP-2). It stays what it was when typing began. */
  base?: number;
  /** A key for `idempotencyKey`: it stays the same until the form has succeeded. */
  idempotencyKey?: string;
  /** Keeps what is typed in this browser until it is saved (W-3); a name for this form among all pages. */
  keep?: string;
  /** Labels by field name, for faults and conflicts. */
  labels?: Record<string, string>;
  inline?: boolean;
  /** The container whose grant this form gives back: that it ends is no news then. */
  gives?: string;
};

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
const TYPED = 'input:not([type=hidden]):not([type=password]):not([type=checkbox]):not([type=radio])[name], textarea[name]';
const typedControls = (form: HTMLFormElement): Control[] => Array.from(form.querySelectorAll<Control>(TYPED));

const unsent = (values: Record<string, string>, outdated: boolean): Refused => ({
  status: 'refused',
  code: outdated ? 'outdated' : 'offline',
  title: outdated ? 'This page is out of date' : 'The server could not be reached',
  detail: outdated
    ? 'Holdfast was updated since this page was loaded. Reload it and send again; what you typed is still here.'
    : 'Nothing is known to have changed. What you typed is still here: check the connection and send again.',
  faults: [],
  values,
});

const textsOf = (data: FormData): Record<string, string> =>
  Object.fromEntries([...data.entries()].filter((pair): pair is [string, string] => typeof pair[1] === 'string' && !pair[0].startsWith('$ACTION')));

/**
 * A form on a server action. Before scripts load it is a plain post. With scripts it is sent
 * once at a time, keeps all that was typed whatever goes wrong, tells what went wrong at the
 * field and in a summary, and what changed in the page's live region.
 */
export function Form(props: Props) {
  const viewer = useViewerId();
  return <OneForm key={`${viewer}.${props.keep}.${props.label}`} {...props} />;
}

// Two forms at one place of a page are two, and so are two people’s: what was typed into one is not the other’s.
function OneForm({ action, label, children, hidden = {}, base, idempotencyKey, keep, labels = {}, inline = false, gives }: Props) {
  const [posted, post] = useActionState(action, idle);
  const [answered, setAnswered] = useState<ActionResult>();
  const [pending, startTransition] = useTransition();
  const form = useRef<HTMLFormElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const sending = useRef(false);
  const untold = useRef<string>(undefined);
  const known = useRef<Typed>(undefined);
  const typed = useRef<Typed>(undefined);
  const [typingBase, setTypingBase] = useState<string>();
  const [typingKey, setTypingKey] = useState<string>();
  const [restored, setRestored] = useState(false);
  const id = useId().replace(/[^\w-]/g, '');
  const viewer = useViewerId();
  const path = usePathname();
  const keptKey = keep && `${viewer ?? 'nobody'}.${keep}`;

  const state = answered ?? posted;
  const refused = state.status === 'refused' ? state : undefined;
  // A plain post that was refused comes back on a page that may be newer than what was typed.
  const postedBase = String(refused?.current?.revision ?? typingBase ?? refused?.values.base ?? base ?? '');
  const spentKey = refused?.code === 'idempotency-mismatch';
  const postedKey = spentKey ? idempotencyKey : (typingKey ?? refused?.values.idempotencyKey ?? idempotencyKey);

  useEffect(() => {
    const kept = keptKey ? recall(keptKey) : undefined;
    if (!kept || !form.current) return;
    let differs = false;
    for (const control of typedControls(form.current)) {
      const text = kept.values[control.name];
      if (text === undefined || text === control.value) continue;
      control.value = text;
      differs = true;
    }
    if (!differs) return forget(keptKey!);
    known.current = kept;
    startQuietly(() => {
      if (kept.base) setTypingBase(kept.base);
      setRestored(true);
    });
  }, [keptKey]);

  // The page may change so that this form goes while somebody types in it.
  useLayoutEffect(() => {
    const element = form.current;
    if (!keptKey || !element) return;
    const gone = formIsHere(keptKey);
    // The same form in another tab keeps its text under the same key: what was typed here is kept when one leaves.
    const keepMine = () => {
      if (typed.current) keepText(keptKey, typed.current);
    };
    window.addEventListener('pagehide', keepMine);
    return () => {
      window.removeEventListener('pagehide', keepMine);
      keepMine();
      const typing = typedControls(element).find((control) => control === document.activeElement) as HTMLTextAreaElement | undefined;
      gone(typing && { name: typing.name, start: typing.selectionStart, end: typing.selectionEnd });
    };
  }, [keptKey]);

  useEffect(() => {
    if (refused) summary.current?.focus();
  }, [refused]);

  // Told once the page shows what was done, also when this form went away with it.
  const tell = useCallback(() => {
    if (untold.current === undefined) return;
    announce(untold.current);
    untold.current = undefined;
  }, []);
  useEffect(tell, [tell, answered]);
  useEffect(() => tell, [tell]);

  const settle = () => {
    if (keptKey && known.current) forgetText(keptKey, known.current);
    known.current = typed.current = undefined;
    setTypingBase(undefined);
    setTypingKey(undefined);
    setRestored(false);
  };

  const discard = () => {
    form.current?.reset();
    settle();
  };

  const onInput = () => {
    setTypingBase((current) => current ?? (base === undefined ? undefined : String(base)));
    setTypingKey((current) => current ?? idempotencyKey);
    if (!keptKey || !form.current) return;
    const controls = typedControls(form.current);
    const text: Typed = {
      base: postedBase,
      values: Object.fromEntries(controls.map((control) => [control.name, control.value])),
      path,
      form: label,
      labels: Object.fromEntries(controls.map((control) => [control.name, labels[control.name] ?? labelOf(control)])),
    };
    known.current = typed.current = text;
    keepText(keptKey, text);
  };

  const use = (name: string, text: string) => {
    const control = form.current?.elements.namedItem(name);
    if (!(control instanceof HTMLTextAreaElement || control instanceof HTMLInputElement)) return;
    control.value = text;
    onInput();
    control.focus();
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending.current || current().frozen) return;
    sending.current = true;
    if (gives) letGo(gives);
    setTypingKey(postedKey);
    const data = new FormData(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter);
    startTransition(async () => {
      try {
        const result = await action(state, data);
        startTransition(() => {
          setAnswered(result);
          if (result.status === 'refused' && gives) hold(gives);
          if (result.status === 'refused' && result.current) setTypingBase(String(result.current.revision));
          if (result.status === 'refused') announceRefusal(refusalText(result));
          if (result.status !== 'done') return;
          form.current?.reset();
          settle();
          untold.current = result.message;
        });
      } catch (error) {
        settleOnRedirect(error, settle);
        unstable_rethrow(error);
        const outdated = error instanceof Error && error.name === 'UnrecognizedActionError';
        startTransition(() => setAnswered(unsent(textsOf(data), outdated)));
      } finally {
        sending.current = false;
      }
    });
  };

  const linkOf = (fault: Fault) => {
    const name = /^[^.[]*/.exec(fault.path)![0];
    const isField = name !== '' && name !== 'base' && !(name in hidden);
    return { fault, href: isField ? `#${fieldId(id, name)}` : undefined, label: labels[fault.path] ?? labels[name] ?? wordsOf(fault.path) };
  };

  return (
    <FormContext value={{ id, state, pending }}>
      <form ref={form} action={post} onSubmit={onSubmit} onInput={onInput} aria-label={label} aria-busy={pending || undefined} noValidate className={clsx(inline ? 'inline-flex flex-wrap items-end gap-3' : 'space-y-5')}>
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} readOnly />
        ))}
        {viewer !== undefined && <input type="hidden" name={MADE_FOR} value={viewer} readOnly />}
        {base !== undefined && <input type="hidden" name="base" value={postedBase} readOnly />}
        {postedKey !== undefined && <input type="hidden" name="idempotencyKey" value={postedKey} readOnly />}
        <div role="alert" ref={summary} tabIndex={-1} className={clsx('w-full rounded-xl focus:outline-none', !refused && 'hidden')}>
          {refused && (
            <Refusal refused={refused} links={refused.faults.map(linkOf)}>
              {refused.code === 'unauthenticated' && !path.startsWith('/sign-in') && (
                <p className="mt-2">
                  <a href={`/sign-in?to=${encodeURIComponent(path)}`} className="link">
                    Sign in again
                  </a>
                  {keep && '. What you typed is kept in this browser.'}
                </p>
              )}
              {refused.current && (
                <Lazily>
                  <Conflict conflict={refused.current} yours={refused.values} labels={labels} use={use} />
                </Lazily>
              )}
            </Refusal>
          )}
        </div>
        {restored && !refused && (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-caution-line bg-caution-soft px-4 py-2.5 text-[0.9375rem] text-caution">
            Text that you had not saved was put back.
            <button type="button" onClick={discard} className="button button-small">
              Discard it
            </button>
          </p>
        )}
        {state.status === 'done' && state.once && <Once text={state.once} message={state.message} />}
        {children}
      </form>
    </FormContext>
  );
}

const labelOf = (control: Control): string => control.labels?.[0]?.firstChild?.textContent?.trim() || wordsOf(control.name);

/** `termSeconds` as a person reads it: `Term seconds`. */
const wordsOf = (path: string): string => path.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase());

/** An action that redirects has succeeded: the page is left, and nothing need be kept. */
function settleOnRedirect(error: unknown, settle: () => void): void {
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : '';
  if (digest.startsWith('NEXT_REDIRECT')) settle();
}
