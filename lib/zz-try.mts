import { Lexer, Parser, Composer, LineCounter, parseDocument } from 'yaml';
const time = (n: string, f: () => unknown) => { const s = performance.now(), c = process.cpuUsage(); let r; try { r = f() } catch (e) { r = String(e).slice(0,80) } const u = process.cpuUsage(c); console.log(n, Math.round(performance.now() - s), 'cpu', Math.round((u.user+u.system)/1000), r) };
class Deep extends Error {}
function* tokens(text: string) { const parser = new Parser(); for (const lexeme of new Lexer().lex(text)) { yield* parser.next(lexeme); if ((parser as any).stack.length > 100) throw new Deep('deep'); } yield* parser.end(); }
const compose = (text: string) => [...new Composer({}).compose(tokens(text), true, text.length)][0]!;
const yamlBig = 'arrows:\n' + Array.from({length: 4500}, (_, i) => `  - id: arrow-${i}\n    from: r\n    to: r\n    context: c\n    stratum: 1\n    requires: [a]\n    dependencies: [{artifact: f/x.txt}]\n    clauses:\n      - {id: C1, concept: x, type: machine}\n`).join('');
const n = 100000;
for (const [name, text] of [['flow', '['.repeat(n)], ['seq', '- '.repeat(n) + 'x'], ['?', '? '.repeat(n) + 'x'],['block', Array.from({length: 1400},(_, i)=>' '.repeat(i)+'a:').join('\n')], ['many', 'x:\n' + ' - a\n'.repeat(n)], ['commas', '['+'a,'.repeat(250000)+']'],['big', yamlBig],['keys', Array.from({length:50000},(_, i)=>`k${i}: 1\n`).join('')]] as const) {
  console.log(name, text.length);
  time('mine', () => { const d = compose(text); return [d.errors.length, (() => { try { d.toJS(); return 'ok' } catch (e) { return String(e) } })()] });
}
