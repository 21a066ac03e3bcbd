'use client';

import { usePathname } from 'next/navigation';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { CopyButton } from './copy-button';
import { forget, homeless, keep, keptVersion, subscribeKept, takeCaret, type Kept } from './kept-text';
import { useViewerId } from './viewer-context';

const none = () => 0;

/**
 * W-3: text that was typed on this page in a form that the page has no more, because the lock
 * changed hands meanwhile. Whoever was typing goes on typing here; nothing is lost.
 */
export function Rescue() {
  const viewer = useViewerId();
  const path = usePathname();
  useSyncExternalStore(subscribeKept, keptVersion, none);
  // Forms say that they are there as they mount; before that, all text seems to have none.
  const [mounted, setMounted] = useState(false);
  useEffect(() => {
    const soon = requestAnimationFrame(() => setMounted(true));
    return () => cancelAnimationFrame(soon);
  }, []);
  if (!mounted) return null;
  const found = homeless(viewer, path);
  if (found.length === 0) return null;
  return (
    <section aria-label="Text that is not saved" className="mb-6 flex flex-col gap-4 rounded-xl border border-caution-line bg-caution-soft p-4">
      {found.map(({ key, kept }) => (
        <Rescued key={key} id={key} kept={kept} />
      ))}
    </section>
  );
}

function Rescued({ id, kept }: { id: string; kept: Kept }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const caret = takeCaret();
    if (caret?.key !== id) return;
    const area = box.current?.querySelector<HTMLTextAreaElement>(`textarea[name="${CSS.escape(caret.name)}"]`);
    area?.focus();
    if (caret.start !== null) area?.setSelectionRange(caret.start, caret.end ?? caret.start);
  }, [id]);

  const [values, setValues] = useState(kept.values);
  const type = (name: string, text: string) => {
    const next = { ...values, [name]: text };
    setValues(next);
    keep(id, { ...kept, values: next });
  };

  return (
    <div ref={box}>
      <p className="text-[0.9375rem] text-caution">
        <strong className="font-semibold">“{kept.form}” is not on this page any more.</strong> What you typed is kept in this browser until you discard it; it goes back
        into the form when that is here again.
      </p>
      {Object.entries(kept.values)
        .filter(([, text]) => text.trim() !== '')
        .map(([name]) => (
          <div key={name} className="mt-3">
            <label>
              <span className="mb-1 block text-[0.875rem] font-medium">{kept.labels[name] ?? name}</span>
              <textarea
                name={name}
                value={values[name]}
                rows={Math.min(12, values[name]!.split('\n').length + 1)}
                onChange={(event) => type(name, event.target.value)}
                className="input mb-2"
              />
            </label>
            <CopyButton text={values[name]!} />
          </div>
        ))}
      <button type="button" onClick={() => forget(id)} className="button button-small mt-3">
        Discard it
      </button>
    </div>
  );
}
