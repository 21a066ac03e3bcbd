'use client';

import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { Keys } from '../keys';
import { isMac } from './open';
import { setSingleKeys, useSingleKeys } from './setting';
import { SHORTCUT_GROUPS, type ShortcutGroup } from './shortcuts';

export type SheetProps = { open: boolean; onOpenChange: (open: boolean) => void };

function Group({ group }: { group: ShortcutGroup }) {
  return (
    <section>
      <h3 className="mb-1.5 text-[0.8125rem] font-medium text-ink-faint">{group.title}</h3>
      <dl className="divide-y divide-line">
        {group.shortcuts.map((shortcut) => (
          <div key={shortcut.label} className="flex items-center justify-between gap-4 py-1.5">
            <dt>{shortcut.label}</dt>
            <dd>
              <Keys keys={shortcut.keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Every shortcut, and the switch that turns single keys off (WCAG 2.1.4). */
export function Sheet({ open, onOpenChange }: SheetProps) {
  const on = useSingleKeys();
  const [pages, inside, everywhere] = SHORTCUT_GROUPS;
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Viewport className="dialog-place">
          <Dialog.Popup className="dialog max-w-2xl p-5 sm:p-6">
            <div className="mb-4 flex items-center justify-between gap-4">
              <Dialog.Title className="text-[1.25rem] font-semibold">Keyboard shortcuts</Dialog.Title>
              <Dialog.Close className="icon-button -m-2">
                <X aria-hidden className="size-5" />
                <span className="sr-only">Close</span>
              </Dialog.Close>
            </div>
            <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
              <Group group={inside!} />
              <div className="space-y-5">
                <Group group={pages!} />
                <Group group={everywhere!} />
                <Group
                  group={{ title: 'Also while typing', shortcuts: [{ keys: [isMac() ? '⌘' : 'Ctrl', 'K'], label: 'Command palette' }] }}
                />
              </div>
            </div>
            <label className="mt-5 flex gap-2.5 border-t border-line pt-4">
              <input
                type="checkbox"
                checked={on}
                onChange={(event) => setSingleKeys(event.target.checked)}
                className="mt-1 size-4.5 shrink-0 accent-accent"
              />
              <span className="min-w-0">
                <span className="font-medium">Single keys do something</span>
                <span className="block text-[0.875rem] text-ink-soft">
                  Switch them off if you dictate or press keys by accident. This browser remembers it; the palette keeps its keys.
                </span>
              </span>
            </label>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
