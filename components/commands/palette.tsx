'use client';

import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { startTransition, useRef, useState } from 'react';
import type { Role } from '../../lib/roles';
import { Keys } from '../keys';
import { startPending } from '../pending';
import type { Theme } from '../theme';
import { useTheme } from '../use-theme';
import { useContainers } from './find-containers';
import { openOverlay } from './open';
import { firstField, pageActions } from './page-actions';
import { commandGroups, type Command, type CommandGroup } from './palette-items';

export type PaletteProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** What is typed, the keys before it stood there included. */
  query: string;
  onQueryChange: (query: string) => void;
  path: string;
  role: Role | undefined;
  theme: Theme;
  setTheme: (data: FormData) => Promise<void>;
  signOut: () => Promise<void>;
};

/** Every page and every action from the keyboard: type, choose, go. */
export function Palette({ open, onOpenChange, ...rest }: PaletteProps) {
  const afterwards = useRef<HTMLElement>(undefined);
  const change = (next: boolean) => {
    if (next) afterwards.current = undefined;
    onOpenChange(next);
  };
  return (
    <Dialog.Root open={open} onOpenChange={change}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Viewport className="dialog-place dialog-place-high">
          <Dialog.Popup aria-label="Command palette" className="dialog palette" finalFocus={() => afterwards.current ?? true}>
            <Inside
              {...rest}
              close={(focus) => {
                afterwards.current = focus;
                onOpenChange(false);
              }}
            />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Inside({
  query,
  onQueryChange,
  path,
  role,
  theme,
  setTheme,
  signOut,
  close,
}: Omit<PaletteProps, 'open' | 'onOpenChange'> & { close: (focus?: HTMLElement) => void }) {
  const router = useRouter();
  const [actions] = useState(pageActions);
  const containers = useContainers(query.trim());
  const [current, choose] = useTheme(theme, setTheme);
  const groups = commandGroups({ path, role, theme: current, actions, containers }, query);
  const count = groups.reduce((sum, group) => sum + group.items.length, 0);

  const run = (command: Command) => {
    if (command.does === 'act') {
      const field = firstField(command.action);
      close(field ?? command.action.control);
      if (!field) command.action.control.click();
      return;
    }
    close();
    if (command.does === 'sheet') return openOverlay('sheet');
    if (command.does === 'theme') return choose(command.theme);
    if (command.does === 'sign-out') return startTransition(signOut);
    if (command.href !== path) startPending(command.href.split('?')[0]!);
    router.push(command.href);
  };

  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      filter={null}
      value={query}
      onValueChange={onQueryChange}
      autoHighlight="always"
      keepHighlight
      itemToStringValue={(command: Command) => command.label}
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-5 shrink-0 text-ink-faint" strokeWidth={1.75} />
        <Autocomplete.Input
          aria-label="Go to a page, a container or an action"
          placeholder="Page, container or action"
          className="palette-input"
          maxLength={200}
        />
        <Dialog.Close className="key cursor-pointer hover:bg-sunken">
          esc<span className="sr-only">: close</span>
        </Dialog.Close>
      </div>
      <Autocomplete.Status className="sr-only">{count === 1 ? 'One match' : `${count} matches`}</Autocomplete.Status>
      <Autocomplete.Empty>
        <p className="px-5 py-8 text-center text-ink-soft">Nothing is called that. Containers are found by title, slug and description.</p>
      </Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
        {(group: CommandGroup) => (
          <Autocomplete.Group key={group.value} items={group.items} className="py-1">
            <Autocomplete.GroupLabel className="px-3 pt-2 pb-1 text-[0.75rem] font-medium text-ink-faint">
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item key={command.id} value={command} onClick={() => run(command)} className="choice">
                  <span dir="auto" className="min-w-0 flex-1 text-start break-words">
                    {command.label}
                  </span>
                  {command.badge && <span className="font-mono text-[0.75rem] text-ink-soft">{command.badge}</span>}
                  {command.keys && <Keys keys={command.keys} />}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
