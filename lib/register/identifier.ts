/** L-1: an identifier is the container's prefix, a hyphen, and a number without leading zeros. Pure. */

/** The number of an identifier with that prefix, or undefined when it is malformed. */
export function numberOf(prefix: string, identifier: string): number | undefined {
  const digits = identifier.startsWith(`${prefix}-`) ? identifier.slice(prefix.length + 1) : '';
  if (!/^[1-9]\d{0,15}$/.test(digits)) return undefined;
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : undefined;
}

export const identifierOf = (prefix: string, number: number): string => `${prefix}-${number}`;
