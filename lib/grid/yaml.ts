/** YAML text of people and files, read in bounded time and depth whoever wrote it. */
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser, stringify, type Document } from 'yaml';
import type { InputFault } from '../problems';

/** Deeper text is refused before it is composed: that is recursive, and a stack that runs out there can end the process. */
const MAX_DEPTH = 100;
const MAX_ALIASES = 100;
const TOO_MANY = `has too many aliases: at most ${MAX_ALIASES}`;

class TooDeep extends Error {}

function* tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH) throw new TooDeep();
  }
  yield* parser.end();
}

type Seen = { twice: InputFault[]; aliases: number };

/** Notes members that stand twice in one map, and counts aliases. The library compares each key with each, and finds each alias anew. */
function look(node: unknown, path: string, seen: Seen): void {
  if (isAlias(node)) seen.aliases++;
  else if (isSeq(node)) node.items.forEach((item, i) => look(item, `${path}[${i}]`, seen));
  else if (isMap(node)) {
    const names = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : undefined;
      const at = `${path}.${name?.slice(0, 100) ?? '?'}`;
      if (name !== undefined && names.has(name)) seen.twice.push({ path: at, message: 'stands here twice' });
      if (name !== undefined) names.add(name);
      else look(key, at, seen);
      look(value, at, seen);
    }
  }
}

export type Read = { value: unknown; faults: InputFault[] };

/**
 * The value of one YAML document of plain values (YAML 1.2, core schema), or what is wrong with it:
 * faults of the text, several documents, tags, members that stand twice, nesting, too many aliases.
 * @param path what the faults are said of
 */
export function fromYaml(text: string, path: string): Read {
  const lines = new LineCounter();
  const bad = (message: string): Read => ({ value: undefined, faults: [{ path, message }] });
  let documents: Document.Parsed[];
  try {
    const composer = new Composer({ schema: 'core', uniqueKeys: false, resolveKnownTags: false, logLevel: 'error' });
    documents = [...composer.compose(tokensOf(text, lines), true, text.length)];
  } catch (error) {
    if (error instanceof TooDeep) return bad('is nested too deeply');
    throw error;
  }
  const [document] = documents;
  if (!document || documents.length > 1) return bad('must be one YAML document');
  const problems = [...document.errors, ...document.warnings].slice(0, 20);
  if (problems.length > 0) {
    return { value: undefined, faults: problems.map((p) => ({ path, message: `is not plain YAML: ${p.message.slice(0, 200).toWellFormed()} (line ${lines.linePos(p.pos[0]).line}, column ${lines.linePos(p.pos[0]).col})` })) };
  }
  const seen: Seen = { twice: [], aliases: 0 };
  look(document.contents, path, seen);
  if (seen.twice.length > 0) return { value: undefined, faults: seen.twice.slice(0, 20) };
  if (seen.aliases > MAX_ALIASES) return bad(TOO_MANY);
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), faults: [] };
  } catch (error) {
    if (error instanceof ReferenceError) return bad(/^Excessive/.test(error.message) ? TOO_MANY : `is not plain YAML: ${error.message.slice(0, 200).toWellFormed()}`);
    throw error;
  }
}

/** Plain values as YAML. */
export const toYaml = (value: unknown): string => stringify(value);
