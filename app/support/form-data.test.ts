import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { integer, text } from '@/lib/schemas/text';
import { fromForm, pathText, typedValues } from './form-data';

const form = (...fields: [string, string | Blob][]): FormData => {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  return data;
};

describe('fromForm', () => {
  const schema = z.strictObject({
    title: text(1, 200),
    reason: text(0, 500).optional(),
    grant: integer(1),
    termSeconds: integer(1, 86_400).optional(),
    public: z.boolean().optional(),
    keepLeases: z.array(z.string()).optional(),
  });

  it('reads numbers, boxes and lists, and leaves the framework and strangers out', () => {
    const data = form(['$ACTION_ID_x', ''], ['title', 'A'], ['reason', ''], ['grant', ' 7 '], ['termSeconds', ''], ['public', 'on'], ['keepLeases', 'a'], ['keepLeases', 'b'], ['extra', '1']);
    expect(fromForm(data, schema)).toEqual({ title: 'A', grant: 7, public: true, keepLeases: ['a', 'b'] });
  });

  it('keeps what is no number, so that the schema names the field', () => {
    const input = fromForm(form(['title', 'A'], ['grant', '7x']), schema);
    expect(input.grant).toBe('7x');
    const parsed = schema.safeParse(input);
    expect(parsed.error!.issues.map((i) => [pathText(i.path), i.message])).toEqual([['grant', 'must be a whole number']]);
  });

  it('reads an unchecked box as false and a missing required text as missing', () => {
    expect(fromForm(form(['grant', '1']), schema)).toEqual({ grant: 1, public: false });
  });

  it('keeps a blank required text, and turns CRLF into LF', () => {
    expect(fromForm(form(['title', ''], ['grant', '1']), schema).title).toBe('');
    expect(fromForm(form(['title', 'a\r\nb\rc']), schema).title).toBe('a\nb\nc');
  });

  it('takes no file for a text', () => {
    expect(fromForm(form(['title', new Blob(['x'])]), schema)).toEqual({ public: false });
  });
});

describe('typedValues', () => {
  it('keeps all that was typed but secrets', () => {
    expect(typedValues(form(['name', 'Ada'], ['password', 'x'], ['$ACTION_KEY', 'k'], ['notes', 'a\r\nb']))).toEqual({ name: 'Ada', notes: 'a\nb' });
    expect(typedValues(form(['keepLeases', 'a'], ['keepLeases', 'b']))).toEqual({ keepLeases: 'a\nb' });
  });
});

describe('pathText', () => {
  it('writes a path as the API does', () => {
    expect(pathText(['entries', 3, 'title'])).toBe('entries[3].title');
    expect(pathText([])).toBe('');
  });
});
