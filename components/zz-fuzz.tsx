import { renderToStaticMarkup } from 'react-dom/server';
import { appendFileSync } from 'node:fs';
import { Markdown } from '/work/main/components/markdown';
const N = Number(process.env.KIB)*1024;
const pats: string[] = ['![a](', '[a](b "', '<!-- ', '&#1', '&a', '~~a ', '~a', '~~', '**a', '__a', '_a*', '*_', '`', '```\n', '> \n', '> a\n', '- a\n', '-\n', '1. a\n','* * *\n','a\n===\n','|a|b|\n','|a|b|\n|-|-|\n','\\', '\\*', 'http://a', 'https://a.b ', 'www.', 'a.b@c.d ', '<a@b.c>', '<http://a', '$', '\t', ' ', '\n', ' \n', 'a  \n', '#\n', '# a\n', '<div>\n', '<a b="', '<?', '<![CDATA[', '<x ', ')', ']', '](', '!', '(', '{', 'x*y', 'x**y**', '*x', '*x*', '***x** ', '_ ', '* a *', '- - - a\n', '>- a\n', '  - a\n', '    a\n', ':-', '|', '|-', '||\n', 'a|b\n-|-\n', 'é', '\u{1f600}', '"', "'", '[^a]: b\n', '[a]: b\n', '[a]\n', '- [ ] a\n'];
{
  for (const p of pats) {
    const t = p.repeat(Math.floor(N / Buffer.byteLength(p)));
    const s = performance.now(); let out = '';
    try { out = renderToStaticMarkup(<Markdown text={t} />); } catch (e) { out = 'THROW ' + e; }
    const took = Math.round(performance.now() - s);
    appendFileSync('/tmp/fuzz.log', [JSON.stringify(p), took, out.length, out.startsWith('THROW') ? out.slice(0,80): ''].join(' ')+'\n');
  }
}
