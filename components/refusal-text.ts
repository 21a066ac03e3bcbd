import type { Refused } from './action-result';

type Member = { name?: string } | string | number | null | undefined;

/** A refusal in one line, for when the form that was refused is no longer on the page. A receipt keeps its facts. */
export function refusalText({ title, detail, members = {} }: Pick<Refused, 'title' | 'detail' | 'members'>): string {
  const { yourGrant, currentGrant, holder } = members as Record<string, Member>;
  if (yourGrant === undefined) return `${title}. ${detail}`;
  const heldBy = typeof holder === 'object' && holder?.name ? `held by ${holder.name}` : 'held by nobody';
  return `${title}. ${detail} Your grant: ${String(yourGrant)}. Current grant: ${String(currentGrant)}, ${heldBy}.`;
}
