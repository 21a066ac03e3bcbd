/** The first line of a text, at most 120 characters, for summaries. */
export function firstLine(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? '';
  const characters = [...line];
  return characters.length > 120 ? `${characters.slice(0, 119).join('')}…` : line;
}
