import type { Notice } from '../lib/notices/read';

type Details = {
  grant?: number;
  by?: string | null;
  reason?: string;
  archived?: boolean;
  acquiredBy?: string;
  from?: number;
  through?: number;
  prefix?: string;
  title?: string;
  code?: string;
  yourGrant?: number;
  currentGrant?: number;
  holder?: string | null;
  message?: string;
  how?: 'superseded' | 'cleared';
  expiresAt?: string;
  capAt?: string;
};

/** A notice in words: what happened in short, the whole of it with why, what to do next, and where. */
export type NoticeText = { title: string; sentence: string; next?: string; href: string; place: string };

type Told = Omit<NoticeText, 'href' | 'place'> & { page?: 'lock' | 'collaboration' | 'drafts' | 'register' | '' };

const PLACES = { lock: 'Lock page', collaboration: 'Collaboration', drafts: 'Drafts', register: 'Register', '': 'Container' } as const;
const KEPT = 'What you wrote is kept under Drafts; you can copy it to a later grant of your own.';

/** Why a push was refused (R-2), as its author reads it. */
const REFUSED: Record<string, (d: Details) => string> = {
  'grant-unknown': (d) => `grant ${d.yourGrant} was never given here; the lock page is at grant ${d.currentGrant}`,
  'grant-superseded': (d) => `grant ${d.currentGrant} has been given since yours`,
  'grant-cleared': () => 'an operator cleared that grant after it had run out',
  'grant-released': () => 'that grant was released',
  'not-holder': (d) => `${d.holder ?? 'somebody else'} holds grant ${d.currentGrant}`,
  'grant-expired': () => 'that grant has run past its expiry',
};

const petitionAgain = 'Ask for the lock again if you still need it.';

function told({ kind, details }: Pick<Notice, 'kind' | 'details'>): Told {
  const d = details as Details;
  switch (kind) {
    case 'lock-cleared':
      return { title: `Your grant ${d.grant} was cleared`, sentence: `${d.by} cleared your grant ${d.grant}, because “${d.reason}”. It can never land again.`, next: KEPT, page: 'drafts' };
    case 'grant-superseded':
      return { title: `Your grant ${d.grant} was superseded`, sentence: `${d.by} acquired the lock after your grant ${d.grant} had run out. It can never land again.`, next: KEPT, page: 'drafts' };
    case 'grant-ends-soon':
      return { title: `Your grant ${d.grant} ends soon`, sentence: `No heartbeat has come for a while, and your grant ${d.grant} is about to run out.`, next: 'Send a heartbeat, or push and release.' };
    case 'cap-near':
      return { title: `Your grant ${d.grant} is near its cap`, sentence: `No grant lasts longer than 24 hours, so heartbeats will not extend your grant ${d.grant} past that.`, next: 'Push what you have, and release in time.' };
    case 'grant-expired':
      return { title: `Your grant ${d.grant} ran out`, sentence: `Your grant ${d.grant} ran past its expiry. Nothing under it can land; what you wrote is kept.`, next: 'If nobody has acquired since, acquire again and copy your drafts to the new grant.' };
    case 'holder-silent': {
      const since = d.how === 'superseded' ? ` ${d.by} has acquired since.` : d.how === 'cleared' ? ` ${d.by} has cleared it since.` : '';
      return {
        title: `${d.holder} fell silent`,
        sentence: `Grant ${d.grant} of ${d.holder} ran out without a release, so nothing under it can land.${since}`,
        next: d.how ? undefined : 'Look at the lock page: a waiter may acquire in its turn, or you clear the lock.',
      };
    }
    case 'push-refused':
      return {
        title: 'Your push was refused',
        sentence: `Your push${d.message ? ` “${d.message}”` : ''} under grant ${d.yourGrant} was refused: ${(REFUSED[d.code!] ?? (() => d.code))(d)}. Nothing has landed.`,
        next: 'Do not repeat it under that grant. Acquire a new one, and push again under it.',
      };
    case 'petition-made':
      return { title: `${d.by} waits for the lock`, sentence: `${d.by} waits, because “${d.reason}”.`, next: 'Nothing is forced: release when your work is pushed.' };
    case 'petition-withdrawn':
      if (d.archived) return { title: 'Your petition was withdrawn', sentence: `${d.by} archived the container, so nobody will be given its lock any more.`, page: '' };
      return d.by
        ? { title: 'Your petition was withdrawn', sentence: `${d.by} withdrew your petition.`, next: petitionAgain }
        : { title: 'Your petition was withdrawn', sentence: 'It was withdrawn, because your role or state changed.', next: 'Ask an operator if that was not meant.' };
    case 'petition-lapsed':
      return { title: 'Your petition lapsed', sentence: `Your whole turn went by twice while others acquired, ${d.acquiredBy} the last of them.`, next: petitionAgain };
    case 'turn-begun':
      return { title: 'Your turn has begun', sentence: 'You may acquire the lock now. Your turn stays until somebody acquires, and after its window the next may too.', next: 'Acquire the lock.' };
    case 'lease-given':
      return { title: 'Identifiers were leased to you', sentence: `${d.by} leased ${d.prefix}-${d.from} to ${d.prefix}-${d.through} to you.`, next: 'Use them for what you write under this grant.', page: 'collaboration' };
    case 'block-assigned':
      return { title: `“${d.title}” is yours`, sentence: `${d.by} assigned you “${d.title}”.`, next: 'Mark it done, or give it back, on the collaboration page.', page: 'collaboration' };
  }
}

/** The words of a notice, and the page that it leads to: the one place of them, for the inbox and for what is told at once. */
export function noticeText(notice: Pick<Notice, 'kind' | 'details' | 'container'>): NoticeText {
  const { page = 'lock', ...text } = told(notice);
  if (!notice.container) return { ...text, href: '/notices', place: 'Notices' };
  return { ...text, href: `/c/${notice.container.slug}${page && `/${page}`}`, place: PLACES[page] };
}

/** The instant that a notice is about, where it has one that is still to come or just went by. */
export function noticeInstant({ kind, details }: Pick<Notice, 'kind' | 'details'>): { label: string; at: string } | undefined {
  const d = details as Details;
  if (kind === 'grant-ends-soon' && d.expiresAt) return { label: 'It ends', at: d.expiresAt };
  if (kind === 'cap-near' && d.capAt) return { label: 'It ends at the latest', at: d.capAt };
  if ((kind === 'grant-expired' || kind === 'holder-silent') && d.expiresAt) return { label: 'It ended', at: d.expiresAt };
  return undefined;
}
