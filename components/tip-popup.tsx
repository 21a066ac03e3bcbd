'use client';

import { Tooltip } from '@base-ui/react/tooltip';
import type { RefObject } from 'react';

export type TipPopupProps = { label: string; open: boolean; anchor: RefObject<HTMLElement | null> };

/** What a tip shows. It is fetched when first asked for. */
export function TipPopup({ label, open, anchor }: TipPopupProps) {
  return (
    <Tooltip.Root open={open}>
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={anchor} sideOffset={6} className="pointer-events-none z-40">
          <Tooltip.Popup aria-hidden className="tip">
            {label}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
