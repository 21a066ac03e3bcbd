import { parse, parseDocument, stringify } from 'yaml';
import { invalidInput, isProblem, type InputFault } from '../problems';
import { parseInput } from '../schemas/parse';
import { unstorable } from '../schemas/text';
import { gridShape, type Grid } from './document';
import { faultsOf } from './faults';

/** The longest grid that is taken, in bytes of its text. */
export const MAX_GRID_BYTES = 1024 * 1024;

function fromText(text: string, path: string): unknown {
  const document = parseDocument(text, { maxAliasCount: 100 } as never);
  const [fault] = document.errors;
  if (fault) throw invalidInput({ path, message: `is not YAML: ${fault.message.split('\n')[0]}` });
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw invalidInput({ path, message: 'has too many aliases' });
  }
}

const under = (path: string, fault: InputFault): InputFault => ({ ...fault, path: fault.path === 'body' ? path : fault.path.startsWith('[') ? `${path}${fault.path}` : `${path}.${fault.path}` });

/**
 * G-2: a grid as it was given, YAML or JSON text or an object, validated whole.
 * @param path the input member that holds it
 * @throws Problem `invalid-input` with every fault and its path
 */
export function parseGrid(given: unknown, path = 'grid'): Grid {
  const value = typeof given === 'string' ? fromText(given, path) : given;
  const hostile = unstorable(value, path);
  if (hostile) throw invalidInput(hostile);
  if (value === undefined || Buffer.byteLength(JSON.stringify(value) ?? '') > MAX_GRID_BYTES) {
    throw invalidInput({ path, message: value === undefined ? 'is required' : `must have at most ${MAX_GRID_BYTES} bytes` });
  }
  let grid: Grid;
  try {
    grid = parseInput(gridShape, value);
  } catch (error) {
    if (!isProblem(error)) throw error;
    throw invalidInput(...(error.members.errors as InputFault[]).map((fault) => under(path, fault)));
  }
  const faults = faultsOf(grid);
  if (faults.length > 0) throw invalidInput(...faults.slice(0, 100).map((fault) => under(path, fault)));
  return grid;
}

/** A grid as the mirror's files hold it (G-4). */
export const gridYaml = (grid: Grid): string => stringify(grid);

/** What a mirror's file holds. @throws Error when it is not YAML */
export const readYaml = (text: string): unknown => parse(text);
