'use client';

import { useState, type AnchorHTMLAttributes, type KeyboardEvent } from 'react';

type Marks = {
  /** The mark that is pointed at, or has the focus. */
  active: number | undefined;
  /** What the mark at `index` needs. */
  markProps: (index: number) => Pick<AnchorHTMLAttributes<HTMLAnchorElement>, 'tabIndex' | 'onFocus' | 'onBlur' | 'onMouseEnter' | 'onMouseLeave' | 'onKeyDown'>;
};

const moved = (key: string, index: number, length: number): number | undefined =>
  ({ ArrowLeft: index - 1, ArrowUp: index - 1, ArrowRight: index + 1, ArrowDown: index + 1, Home: 0, End: length - 1 })[key];

/** Many marks in a picture as one stop for the Tab key: arrow keys, Home and End go from mark to mark. The newest, last one comes first. */
export function useRoving(length: number): Marks {
  const [stop, setStop] = useState(length - 1);
  const [active, setActive] = useState<number>();
  const current = Math.min(stop, length - 1);
  const onKeyDown = (event: KeyboardEvent<Element>, index: number): void => {
    const to = moved(event.key, index, length);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const marks = event.currentTarget.closest('svg')!.querySelectorAll<SVGAElement>('a[data-mark]');
    marks[Math.max(0, Math.min(length - 1, to))]?.focus();
  };
  return {
    active: active !== undefined && active < length ? active : undefined,
    markProps: (index) => ({
      tabIndex: index === current ? 0 : -1,
      onFocus: () => {
        setStop(index);
        setActive(index);
      },
      onBlur: () => setActive(undefined),
      onMouseEnter: () => setActive(index),
      onMouseLeave: () => setActive(undefined),
      onKeyDown: (event) => onKeyDown(event, index),
    }),
  };
}
