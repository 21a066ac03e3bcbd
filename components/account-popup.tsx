'use client';

import { Menu } from '@base-ui/react/menu';
import { Bell, Check, Keyboard, LogOut, Monitor, Moon, Sun, type LucideIcon } from 'lucide-react';
import { startTransition, useState, type ReactNode } from 'react';
import { WhoseMenu, type AccountProps } from './account-menu';
import { openOverlay } from './commands/open';
import { Keys } from './keys';
import { Link } from './link';
import { THEME_LABELS, THEMES, type Theme } from './theme';
import { useTheme } from './use-theme';

export type AccountPopupProps = AccountProps & { face: ReactNode };

const ICONS: Record<Theme, LucideIcon> = { system: Monitor, light: Sun, dark: Moon };

/** The viewer's own menu as a menu. It is fetched when first asked for, and opens with that. */
export function AccountPopup({ viewer, notices, theme, setTheme, signOut, face }: AccountPopupProps) {
  const [current, choose] = useTheme(theme, setTheme);
  // The menu stands in the page's header, which is a landmark; it can once that is known.
  const [around, setAround] = useState<HTMLDivElement | null>(null);
  const leave = () => startTransition(signOut);
  return (
    <div ref={setAround}>
      {around && (
        <Menu.Root defaultOpen>
          <Menu.Trigger className="account-button">{face}</Menu.Trigger>
          <Menu.Portal container={around}>
            <Menu.Positioner align="end" sideOffset={6} className="z-30">
              <Menu.Popup className="menu">
                <WhoseMenu viewer={viewer} />
                <Menu.RadioGroup
                  value={current}
                  onValueChange={(next: Theme) => choose(next)}
                  className="border-b border-line py-1"
                  aria-label="Theme"
                >
                  {THEMES.map((each) => {
                    const Icon = ICONS[each];
                    return (
                      <Menu.RadioItem key={each} value={each} closeOnClick={false} className="choice">
                        <Icon aria-hidden className="size-4 text-ink-faint" />
                        {THEME_LABELS[each]}
                        <Menu.RadioItemIndicator className="ml-auto">
                          <Check aria-hidden className="size-4 text-accent" />
                        </Menu.RadioItemIndicator>
                      </Menu.RadioItem>
                    );
                  })}
                </Menu.RadioGroup>
                <div className="pt-1">
                  <Menu.LinkItem render={<Link href="/notices" />} closeOnClick className="choice">
                    <Bell aria-hidden className="size-4 text-ink-faint" />
                    Notices
                    {notices > 0 && <span className="ml-auto text-[0.875rem] text-ink-soft">{notices} unread</span>}
                  </Menu.LinkItem>
                  <Menu.Item onClick={() => openOverlay('sheet')} className="choice">
                    <Keyboard aria-hidden className="size-4 text-ink-faint" />
                    Keyboard shortcuts
                    <span className="ml-auto">
                      <Keys keys={['?']} />
                    </span>
                  </Menu.Item>
                  <Menu.Item onClick={leave} className="choice">
                    <LogOut aria-hidden className="size-4 text-ink-faint" />
                    Sign out
                  </Menu.Item>
                </div>
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
    </div>
  );
}
