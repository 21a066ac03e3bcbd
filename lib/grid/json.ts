import type { InputFault } from '../problems';

type Level = { keys: Set<string> | undefined; path: string; index: number; key: string };

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Members that stand twice in one object of a JSON text, which `JSON.parse` passes over. The text is valid JSON. */
export function duplicateMembers(text: string, path: string): InputFault[] {
  const faults: InputFault[] = [];
  const levels: Level[] = [];
  let last = '';
  const here = (level: Level | undefined): string => (!level ? path : level.keys ? `${level.path}.${level.key.slice(0, 100)}` : `${level.path}[${level.index}]`);
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') levels.push({ keys: token === '{' ? new Set() : undefined, path: here(level), index: 0, key: '' });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level) level.index++;
    else if (token === ':' && level?.keys) {
      level.key = JSON.parse(last) as string;
      if (level.keys.has(level.key)) faults.push({ path: here(level), message: 'stands here twice' });
      level.keys.add(level.key);
    }
    last = token;
    if (faults.length >= 20) break;
  }
  return faults;
}
