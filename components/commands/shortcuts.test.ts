import { expect, test } from 'vitest';
import { containerPages, destination, SHORTCUT_GROUPS, slugOf } from './shortcuts';

test('the keys for the whole site go there from anywhere', () => {
  for (const path of ['/', '/admin', '/c/charts/lock']) {
    expect(destination('b', path)).toBe('/');
    expect(destination('n', path)).toBe('/notices');
  }
});

test('the keys for a container stay in the one that is shown', () => {
  expect(destination('l', '/c/charts/register/3')).toBe('/c/charts/lock');
  expect(destination('g', '/c/charts')).toBe('/c/charts/grid');
  expect(destination('o', '/c/charts/lock')).toBe('/c/charts');
});

test('outside a container they go nowhere, nor do keys without a page', () => {
  for (const key of ['o', 'l', 'c', 'r', 'd', 'g', 'p', 'a']) expect(destination(key, '/admin/audit')).toBeUndefined();
  for (const key of ['x', 'constructor', 'toString', '']) expect(destination(key, '/c/charts')).toBeUndefined();
});

test('the sheet names every key once', () => {
  const keys = SHORTCUT_GROUPS.flatMap((group) => group.shortcuts.map((shortcut) => shortcut.keys.join(' ')));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toEqual(expect.arrayContaining(['g b', 'g a', '/', '?']));
});

test('a container is known by its address alone', () => {
  expect(slugOf('/c/charts/lock')).toBe('charts');
  expect(slugOf('/')).toBeUndefined();
  expect(containerPages('charts')[1]).toEqual({ label: 'Lock', href: '/c/charts/lock', keys: ['g', 'l'] });
});
