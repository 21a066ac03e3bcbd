import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from './markdown';
import { isExternal, safeLink } from './safe-link';

const html = (text: string): string => renderToStaticMarkup(<Markdown text={text} />);

describe('Markdown', () => {
  it('shows raw HTML as text', () => {
    const out = html('<script>alert(1)</script> <img src=x onerror=alert(1)> <b style="color:red">b</b>');
    expect(out).not.toMatch(/<script|<img|<b[ >]/);
    expect(out).toContain('&lt;script&gt;');
  });

  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\u0009script:alert(1)', ' javascript:x', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', '\u0001javascript:x', 'blob:x'])(
    'makes no link of %j',
    (href) => {
      expect(safeLink(href)).toBeUndefined();
      expect(html(`[x](<${href}>)`)).not.toMatch(/href="(?!http)/);
    },
  );

  it('keeps http, https, mailto, paths and fragments, and marks those that leave', () => {
    expect(html('[x](https://a.example/)')).toContain('href="https://a.example/" class="link" rel="noreferrer nofollow ugc"');
    expect(html('[x](/c/alpha)')).toContain('<a href="/c/alpha" class="link">');
    expect(html('[x](#there)')).toContain('href="#there"');
    expect(html('<a@b.example>')).toContain('href="mailto:a@b.example"');
    expect(isExternal('//evil.example')).toBe(true);
    expect(isExternal('/\\evil.example')).toBe(true);
  });

  it('loads no image', () => {
    const out = html('![chart](https://a.example/x.png) ![y](javascript:x)');
    expect(out).not.toContain('<img');
    expect(out).toContain('[image: chart]');
  });

  it('writes no style attribute, also for aligned tables', () => {
    const out = html('| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open');
    expect(out).not.toContain('style=');
    expect(out).toContain('class="text-end"');
  });

  it('puts headings below those of the page, each one step under the one that it belongs to', () => {
    const headings = (text: string) => html(text).match(/<h\d>[^<]*/g)?.map((h) => h.slice(2).replace('>', ' '));
    expect(headings('# One\n\n###### Six')).toEqual(['3 One', '4 Six']);
    expect(headings('## Plan\n\n#### Far\n\n### Near\n\n#### Below\n\n## Next\n\n# Last')).toEqual(['3 Plan', '4 Far', '4 Near', '5 Below', '3 Next', '3 Last']);
    expect(headings('> ## Quoted\n\n### Inner')).toEqual(['3 Quoted', '4 Inner']);
    expect(headings(Array.from({ length: 6 }, (_, i) => `${'#'.repeat(i + 1)} H`).join('\n\n'))).toEqual(['3 H', '4 H', '5 H', '6 H', '6 H', '6 H']);
  });

  it('lets a browser break a word of many letters, and leaves other words and code alone', () => {
    const word = 'x'.repeat(1_000);
    expect(html(`a **${word}** b`).match(/<wbr\/>/g)).toHaveLength(13);
    expect(html(`a ${word}`).replaceAll('<wbr/>', '')).toContain(word);
    expect(html(`${'y'.repeat(300)}\n\n\`\`\`\n${word}\n\`\`\``)).not.toContain('<wbr');
    expect(html('z'.repeat(250_000))).toContain('<wbr/>');
  });

  it('renders what people write: a table of a thousand rows, many headings and rules', () => {
    expect(html('| a | b |\n|---|---|\n' + '| 1 | 2 |\n'.repeat(1_000))).toContain('<table>');
    expect(html('Title\n=====\n\ntext & more\n\n---\n\n'.repeat(100))).toContain('<h3>Title</h3>');
  });

  it.each([
    ['quotes in quotes', '>'.repeat(250_000)],
    ['lists in lists', '- '.repeat(100_000)],
    ['open brackets', '['.repeat(250_000)],
    ['open emphasis', '*a '.repeat(60_000)],
    ['mixed emphasis', '*a **b _c '.repeat(20_000)],
    ['tildes', '~a'.repeat(120_000)],
    ['emphasis by the measure', '**a'.repeat(3_900)],
    ['short lists', '- a\n'.repeat(60_000)],
    ['lists by the measure', '-\n'.repeat(3_900)],
    ['links by the measure', '[a]('.repeat(3_900)],
    ['table bars', '|'.repeat(250_000)],
    ['backticks', '`a``b'.repeat(40_000)],
    ['links in text', '[a]('.repeat(40_000)],
    ['angle brackets', '<a '.repeat(60_000)],
    ['nested list lines', Array.from({ length: 300 }, (_, i) => `${' '.repeat(2 * i)}- x`).join('\n')],
    ['one long word', 'x'.repeat(250_000)],
    ['footnotes', '[^1]'.repeat(20_000) + '\n\n[^1]: x'],
    ['addresses', 'www.a.example '.repeat(18_000)],
    ['at signs', 'a@'.repeat(100_000)],
    ['wide tables', '|a'.repeat(300) + '\n' + '|-'.repeat(300) + '\n' + ('|b'.repeat(300) + '\n').repeat(400)],
    ['tables that fill up', '|a'.repeat(1_000) + '\n' + '|-'.repeat(1_000) + '\n' + '|b\n'.repeat(5_000)],
    ['underlined headings', 'a\n===\n\n'.repeat(3_900)],
    ['headings', '# a\n'.repeat(11_900)],
    ['footnote definitions', Array.from({ length: 1_990 }, (_, i) => `[^${i}]: x[^${i}]`).join('\n\n')],
    ['character references', '&#x3c;'.repeat(40_000)],
  ])('renders hostile %s in time', (_, text) => {
    const start = performance.now();
    expect(html(text)).toContain('<div');
    const took = performance.now() - start;
    expect(took).toBeLessThan(8_000);
  });
});
