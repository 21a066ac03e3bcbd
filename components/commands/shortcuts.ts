/** The keys of every page, in the order in which the help sheet shows them. Pure. */

export type Shortcut = { keys: readonly string[]; label: string };
export type ShortcutGroup = { title: string; shortcuts: readonly Shortcut[] };

/** The second key after `g`, and the page that it goes to. */
const ANYWHERE: Record<string, { label: string; path: string }> = {
  b: { label: 'Board', path: '/' },
  n: { label: 'Notices', path: '/notices' },
};

/** The same inside a container; paths stand behind the container's own. */
const INSIDE: Record<string, { label: string; path: string }> = {
  o: { label: 'Overview', path: '' },
  l: { label: 'Lock', path: '/lock' },
  c: { label: 'Collaboration', path: '/collaboration' },
  r: { label: 'Register', path: '/register' },
  d: { label: 'Drafts', path: '/drafts' },
  g: { label: 'Grid', path: '/grid' },
  p: { label: 'Passes', path: '/passes' },
  a: { label: 'Amendments', path: '/amendments' },
};

const steps = (pages: typeof ANYWHERE): Shortcut[] => Object.entries(pages).map(([key, { label }]) => ({ keys: ['g', key], label }));

export const SHORTCUT_GROUPS: readonly ShortcutGroup[] = [
  { title: 'Go to', shortcuts: steps(ANYWHERE) },
  { title: 'In a container, go to', shortcuts: steps(INSIDE) },
  {
    title: 'On every page',
    shortcuts: [
      { keys: ['/'], label: 'Search on this page' },
      { keys: ['?'], label: 'This sheet' },
    ],
  },
];

/** The container that an address lies in. */
export const slugOf = (path: string): string | undefined => /^\/c\/([^/]+)/.exec(path)?.[1];

/** Where `g` and then `key` go from the page at `path`; undefined where they go nowhere. */
export function destination(key: string, path: string): string | undefined {
  if (Object.hasOwn(ANYWHERE, key)) return ANYWHERE[key]!.path;
  const slug = slugOf(path);
  return slug && Object.hasOwn(INSIDE, key) ? `/c/${slug}${INSIDE[key]!.path}` : undefined;
}

/** The pages of a container with the keys that go there. */
export const containerPages = (slug: string): { label: string; href: string; keys: string[] }[] =>
  Object.entries(INSIDE).map(([key, { label, path }]) => ({ label, href: `/c/${slug}${path}`, keys: ['g', key] }));
