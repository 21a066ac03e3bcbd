/** From a posted form to what a schema expects: a form knows only texts. Pure. */
import type { z } from 'zod';

type Kind = 'text' | 'number' | 'boolean' | 'list';
type Shape = { kind: Kind; optional: boolean; element?: Shape };

/** What stands behind optional, default, nullable and piped schemas. */
function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = schema._zod as unknown as { def: { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType; element?: z.core.$ZodType } };
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nullable':
      return { ...shapeOf(def.innerType!), optional: true };
    case 'nonoptional':
      return { ...shapeOf(def.innerType!), optional: false };
    case 'readonly':
    case 'catch':
      return shapeOf(def.innerType!);
    case 'pipe':
      return shapeOf(def.in!);
    case 'array':
      return { kind: 'list', optional: false, element: shapeOf(def.element!) };
    case 'number':
    case 'int':
      return { kind: 'number', optional: false };
    case 'boolean':
      return { kind: 'boolean', optional: false };
    default:
      return { kind: 'text', optional: false };
  }
}

/** A text area posts CRLF; we keep LF. */
const lines = (value: string): string => value.replace(/\r\n?/g, '\n');

function valueOf(text: string, shape: Shape): unknown {
  if (shape.kind === 'number') {
    const trimmed = text.trim();
    if (trimmed === '') return undefined;
    return /^-?\d{1,20}(\.\d{1,20})?$/.test(trimmed) ? Number(trimmed) : text;
  }
  if (shape.kind === 'boolean') return text === 'on' || text === 'true';
  return text === '' && shape.optional ? undefined : lines(text);
}

/** Texts only: a file in a field of ours is nothing that anybody asked for. */
const texts = (data: FormData, name: string): string[] => data.getAll(name).filter((v): v is string => typeof v === 'string');

/**
 * The members that `schema` knows, taken from a form. Numbers and booleans are read as such
 * (an unchecked box is false), lists are fields of one name, and a blank optional field is
 * absent. What cannot be read as a number stays text, so that the schema names the fault.
 */
export function fromForm(data: FormData, schema: z.ZodObject): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.shape)) {
    const shape = shapeOf(member as z.core.$ZodType);
    const given = texts(data, name);
    if (shape.kind === 'list') {
      if (given.length > 0 || !shape.optional) input[name] = given.map((text) => valueOf(text, shape.element!));
    } else if (shape.kind === 'boolean') {
      input[name] = given.some((text) => valueOf(text, shape));
    } else if (given[0] !== undefined) {
      const value = valueOf(given[0], shape);
      if (value !== undefined) input[name] = value;
    }
  }
  return input;
}

const SECRET = /password|token|secret/i;

/** What was typed, to show it again: every text but secrets and the framework's own fields. Fields of one name by lines. */
export function typedValues(data: FormData): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of data.entries()) {
    if (typeof value !== 'string' || name.startsWith('$ACTION') || SECRET.test(name)) continue;
    values[name] = name in values ? `${values[name]}\n${lines(value)}` : lines(value);
  }
  return values;
}

/** `entries[3].title` from a schema's path. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)), '');
