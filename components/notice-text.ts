import type { Notice } from '../lib/notices/read';

type Details = { grant?: number; by?: string | null; reason?: string; acquiredBy?: string; from?: number; through?: number; prefix?: string; title?: string };

/** A notice in words. */
export function noticeText(notice: Pick<Notice, 'kind' | 'details'>): string {
  const d = notice.details as Details;
  switch (notice.kind) {
    case 'lock-cleared':
      return `${d.by} cleared your grant ${d.grant}, because “${d.reason}”. It can never land again; your drafts are kept.`;
    case 'grant-superseded':
      return `${d.by} acquired the lock after your grant ${d.grant} had run out. It can never land again; your drafts are kept.`;
    case 'petition-withdrawn':
      return d.by ? `${d.by} withdrew your petition. You can petition again.` : 'Your petition was withdrawn, because your role or state changed.';
    case 'petition-lapsed':
      return 'Your petition lapsed: your whole turn went by twice while others acquired. You can petition again.';
    case 'turn-begun':
      return 'Your turn has begun: you may acquire the lock now.';
    case 'lease-given':
      return `${d.by} leased ${d.prefix}-${d.from} to ${d.prefix}-${d.through} to you.`;
    case 'block-assigned':
      return `${d.by} assigned you “${d.title}”.`;
  }
}
