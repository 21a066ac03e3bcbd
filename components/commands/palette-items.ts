import type { Role } from '../../lib/roles';
import { THEME_LABELS, THEMES, type Theme } from '../theme';
import type { Found, FoundContainer } from './find-containers';
import type { PageAction } from './page-actions';
import { containerPages, slugOf } from './shortcuts';

export type Command = {
  id: string;
  label: string;
  /** Words that also find it. */
  words?: string;
  keys?: readonly string[];
  badge?: FoundContainer['badge'];
} & (
  | { does: 'go'; href: string }
  | { does: 'theme'; theme: Theme }
  | { does: 'act'; action: PageAction }
  | { does: 'sheet' }
  | { does: 'sign-out' }
);

/** As the Autocomplete takes groups. */
export type CommandGroup = { value: string; items: Command[] };

export type Situation = { path: string; role: Role | undefined; theme: Theme; actions: PageAction[]; containers: Found };

const go = (label: string, href: string, more: Partial<Command> = {}): Command =>
  ({ id: href, label, does: 'go', href, ...more }) as Command;

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** True when every word that is typed begins or stands in the command's words. */
export function matches(command: Pick<Command, 'label' | 'words'>, typed: string): boolean {
  const text = plain(`${command.label} ${command.words ?? ''}`);
  return plain(typed)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Everything that the palette offers where one is, those that match what is typed. What acts stands behind what only goes somewhere. */
export function commandGroups({ path, role, theme, actions, containers }: Situation, typed: string): CommandGroup[] {
  const slug = slugOf(path);
  const blank = typed.trim() === '';
  const groups: CommandGroup[] = [
    {
      value: 'This container',
      items:
        slug === undefined
          ? []
          : containerPages(slug)
              .filter(({ href }) => href !== path)
              .map(({ label, href, keys }) => go(label, href, { keys })),
    },
    {
      value: 'Pages',
      items: [
        go('Board', '/', { keys: ['g', 'b'], words: 'home containers all' }),
        ...(role ? [go('Notices', '/notices', { keys: ['g', 'n'], words: 'inbox told' })] : []),
        ...(role === 'operator'
          ? [
              go('New container', '/new', { words: 'create make' }),
              go('Admin: silent locks', '/admin', { words: 'clear operator' }),
              go('Admin: audit log', '/admin/audit', { words: 'operator history' }),
              go('Admin: principals', '/admin/principals', { words: 'operator people agents tokens' }),
              go('Admin: recovery', '/admin/recovery', { words: 'operator boot alerts' }),
            ]
          : []),
        ...(role
          ? []
          : [
              go('Sign in', path === '/' || path === '/sign-in' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(path)}`, {
                id: 'sign-in',
                words: 'log in',
              }),
            ]),
      ],
    },
    { value: 'On this page', items: actions.map((action, i) => ({ id: `act-${i}`, label: action.label, does: 'act', action })) },
    {
      value: 'Holdfast',
      items: [
        { id: 'sheet', label: 'Keyboard shortcuts', words: 'keys help', keys: ['?'], does: 'sheet' },
        ...THEMES.filter((other) => other !== theme).map((other): Command => ({
          id: `theme-${other}`,
          label: THEME_LABELS[other],
          words: 'colours appearance mode',
          does: 'theme',
          theme: other,
        })),
        ...(role ? [{ id: 'sign-out', label: 'Sign out', words: 'log out leave', does: 'sign-out' } satisfies Command] : []),
      ],
    },
  ];
  const others = containers.items
    .filter((container) => container.slug !== slug)
    .slice(0, blank ? 4 : undefined)
    .map(({ slug: at, title, badge }): Command => ({ ...go(title, `/c/${at}/lock`, { badge, words: at }), id: `container-${at}` }));
  // By title or slug. The server finds by description too: those stand last, and only once it has answered for just this.
  const named = others.filter((command) => matches(command, typed));
  const described = containers.query === typed.trim() ? others.filter((command) => !named.includes(command)) : [];
  const chosen = blank ? groups : groups.map((group) => ({ ...group, items: group.items.filter((command) => matches(command, typed)) }));
  return [
    chosen[0]!,
    { value: 'Containers', items: named },
    ...chosen.slice(1),
    { value: 'Containers with this in their description', items: described },
  ].filter((group) => group.items.length > 0);
}
