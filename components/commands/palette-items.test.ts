import { expect, test } from 'vitest';
import { commandGroups, matches, type Situation } from './palette-items';

const somewhere: Situation = {
  path: '/c/charts/lock',
  role: 'operator',
  theme: 'system',
  actions: [],
  containers: { query: '', items: [] },
};
const labels = (situation: Situation, typed = ''): string[] =>
  commandGroups(situation, typed).flatMap((group) => group.items.map((command) => command.label));

test('every word that is typed must be found, whatever its case and accents', () => {
  expect(matches({ label: 'Admin: audit log' }, 'LOG adm')).toBe(true);
  expect(matches({ label: 'Présentation' }, 'presen')).toBe(true);
  expect(matches({ label: 'Admin: audit log' }, 'log xyz')).toBe(false);
});

test('pages of operators are offered to operators alone, and signing out to those who are signed in', () => {
  expect(labels(somewhere)).toEqual(expect.arrayContaining(['Admin: audit log', 'New container', 'Sign out', 'Overview', 'Amendments']));
  expect(labels({ ...somewhere, role: 'coworker' })).not.toContain('Admin: audit log');
  expect(labels({ ...somewhere, role: undefined })).not.toContain('Sign out');
  expect(labels({ ...somewhere, role: undefined })).toContain('Sign in');
});

test('with nothing typed, the first is a page and never an action', () => {
  const actions = [{ label: 'Release', control: {} as HTMLElement }];
  for (const path of ['/', '/c/charts/lock'])
    expect(commandGroups({ ...somewhere, path, actions }, '')[0]!.items[0]).toMatchObject({ does: 'go' });
});

test('containers that the server found are offered, but for the one that is shown', () => {
  const items = [
    { slug: 'charts', title: 'Charts', badge: 'OPEN' as const },
    { slug: 'tides', title: 'Tide tables', badge: 'HELD' as const },
  ];
  expect(labels({ ...somewhere, containers: { query: 'zzz', items } }, 'zzz')).toEqual(['Tide tables']);
  // An answer to what was typed before offers only what still fits.
  expect(labels({ ...somewhere, containers: { query: 'z', items } }, 'zzz')).toEqual([]);
  expect(labels({ ...somewhere, containers: { query: 't', items } }, 'tide')).toEqual(['Tide tables']);
});

test('the theme that is set is not offered again', () => {
  expect(labels({ ...somewhere, theme: 'dark' }, 'theme')).toEqual(['Theme of the system', 'Light theme']);
});
