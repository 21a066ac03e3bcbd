'use client';

import { useRef, useState, type ComponentType, type ReactNode } from 'react';
import type { TipPopupProps } from './tip-popup';

const load = () => import('./tip-popup').then((module) => module.TipPopup);

/** The name of a control that shows an icon alone, for those who see it: under the pointer, or in focus. The control itself has it in words. */
export function Tip({ label, children }: { label: string; children: ReactNode }) {
  const [Popup, setPopup] = useState<ComponentType<TipPopupProps>>();
  const [open, setOpen] = useState(false);
  const around = useRef<HTMLSpanElement>(null);
  const show = () => {
    setOpen(true);
    if (!Popup) load().then((loaded) => setPopup(() => loaded), () => undefined);
  };
  return (
    <span
      ref={around}
      className="inline-flex"
      onPointerEnter={(event) => event.pointerType === 'mouse' && show()}
      onPointerLeave={() => setOpen(false)}
      onPointerDown={() => setOpen(false)}
      onFocus={(event) => event.target.matches(':focus-visible') && show()}
      onBlur={() => setOpen(false)}
      onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
    >
      {children}
      {Popup && <Popup label={label} open={open} anchor={around} />}
    </span>
  );
}
