import { invalidInput, isProblem, type InputFault } from '../problems';
import { parseInput } from '../schemas/parse';
import { unstorable } from '../schemas/text';
import { gridShape, type Grid } from './document';
import { faultsOf } from './faults';
import { duplicateMembers } from './json';
import { fromYaml, toYaml } from './yaml';

/** The longest grid that is taken, in bytes of its text or of its JSON. */
export const MAX_GRID_BYTES = 1024 * 1024;
/** The longest YAML text: reading it takes many times as long as reading JSON, and all other calls wait meanwhile. */
export const MAX_YAML_BYTES = 512 * 1024;
const MAX_FAULTS = 100;

const tooLong = (path: string, bytes: number, what = ''): never => {
  throw invalidInput({ path, message: `must have at most ${bytes} bytes${what}` });
};

function asJson(text: string): { value: unknown } | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function fromText(text: string, path: string): unknown {
  if (text.length > MAX_GRID_BYTES || Buffer.byteLength(text) > MAX_GRID_BYTES) tooLong(path, MAX_GRID_BYTES);
  const json = asJson(text);
  if (!json && Buffer.byteLength(text) > MAX_YAML_BYTES) tooLong(path, MAX_YAML_BYTES, ' as YAML; send a longer one as JSON');
  const { value, faults } = json ? { value: json.value, faults: duplicateMembers(text, path) } : fromYaml(text, path);
  if (faults.length > 0) throw invalidInput(...faults);
  return value;
}

/** Bytes of a value's JSON; 0 of one that has none, because it is nested without end or too deeply for it. */
function bytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return 0;
  }
}

/** Where a value is not one that RFC 8785 and JavaScript agree on: a number that is not finite, a member `__proto__`. */
function notPlain(value: unknown, path: string): InputFault | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return { path, message: 'must be a finite number' };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = notPlain(value[i], `${path}[${i}]`);
      if (fault) return fault;
    }
  } else if (value && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      const at = `${path}.${key}`;
      const fault = key === '__proto__' ? { path: at, message: 'is not known here' } : notPlain(inner, at);
      if (fault) return fault;
    }
  }
  return undefined;
}

const under = (path: string, fault: InputFault): InputFault => ({ ...fault, path: fault.path === '' ? path : fault.path.startsWith('[') ? `${path}${fault.path}` : `${path}.${fault.path}` });

function shapeOf(value: unknown): { grid: Grid | undefined; faults: InputFault[] } {
  try {
    return { grid: parseInput(gridShape, value, ''), faults: [] };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { grid: undefined, faults: error.members.errors as InputFault[] };
  }
}

/**
 * G-2: a grid as it was given, YAML or JSON text or an object, validated whole.
 * @param path the input member that holds it
 * @throws Problem `invalid-input` with every fault (the first 100) and its path
 */
export function parseGrid(given: unknown, path = 'grid'): Grid {
  const value = typeof given === 'string' ? fromText(given, path) : given;
  if (value === undefined) throw invalidInput({ path, message: 'is required' });
  // Its size comes first: aliases make a short text long.
  if (bytesOf(value) > MAX_GRID_BYTES) tooLong(path, MAX_GRID_BYTES);
  const hostile = unstorable(value, path) ?? notPlain(value, path);
  if (hostile) throw invalidInput({ ...hostile, path: hostile.path.slice(0, 200).toWellFormed() });
  const { grid, faults } = shapeOf(value);
  const all = [...faults, ...faultsOf(value)];
  if (!grid || all.length > 0) throw invalidInput(...all.slice(0, MAX_FAULTS).map((fault) => under(path, fault)));
  return grid;
}

/** A grid as the mirror's files hold it (G-4). */
export const gridYaml = (grid: Grid): string => toYaml(grid);

/** What a mirror's file holds. @throws Error when it is not YAML */
export function readYaml(text: string): unknown {
  const { value, faults } = fromYaml(text, 'the file');
  if (faults.length > 0) throw new Error(faults.map((f) => `${f.path}: ${f.message}`).join('; '));
  return value;
}
