/** A page's layout as text: where its landmarks, headings and parts stand. It is the same wherever our own fonts are. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Page } from '@playwright/test';

/** What a part is, and its box: left, top, width, height, in CSS pixels. */
export type Part = [what: string, left: number, top: number, width: number, height: number];
export type Layouts = Record<string, Part[]>;

/** How far a part may stand from where it stood: browsers round the same text differently. */
const TOLERANCE_PX = 12;

export const readLayouts = (file: string): Layouts => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Layouts) : {});

export function writeLayouts(file: string, layouts: Layouts): void {
  mkdirSync(dirname(file), { recursive: true });
  const pages = Object.entries(layouts).sort(([a], [b]) => a.localeCompare(b));
  const text = pages.map(([name, parts]) => `  ${JSON.stringify(name)}: [\n${parts.map((part) => `    ${JSON.stringify(part)}`).join(',\n')}\n  ]`);
  writeFileSync(file, `{\n${text.join(',\n')}\n}\n`);
}

/** The parts of the page that is shown, in its order. */
export const layoutOf = (page: Page): Promise<Part[]> =>
  page.evaluate(() => {
    const parts = document.querySelectorAll('body > header, nav, main, h1, main h2, main section, main form, main table, body > footer');
    const nameOf = (part: Element) => part.getAttribute('aria-label') ?? (/^H\d$/.test(part.tagName) ? part.textContent : (part.id || (part.getAttribute('aria-labelledby') ?? '')));
    return [...parts]
      .filter((part) => part.checkVisibility())
      .map((part): [string, number, number, number, number] => {
        const box = part.getBoundingClientRect();
        return [`${part.tagName.toLowerCase()} ${nameOf(part)}`.trim(), box.left, box.top + scrollY, box.width, box.height].map((v) => (typeof v === 'number' ? Math.round(v) : v)) as [string, number, number, number, number];
      });
  });

/** What is not where it was, in words; empty where all is. */
export function layoutChanges(before: Part[] | undefined, after: Part[]): string[] {
  if (!before) return ['no layout is kept of this page: run with --update-snapshots'];
  const names = (parts: Part[]) => parts.map(([what]) => what).join(', ');
  if (names(before) !== names(after)) return [`parts were: ${names(before)}`, `parts are: ${names(after)}`];
  return after.flatMap(([what, ...box], i) => {
    const [, ...was] = before[i]!;
    return box.every((value, at) => Math.abs(value - was[at]!) <= TOLERANCE_PX) ? [] : [`${what}: was ${was.join(' ')}, is ${box.join(' ')}`];
  });
}
