/** SHA-256 over RFC 8785 canonical JSON. Pure. */
import { digestOf, NO_DIGEST } from '../digest';
import type { Instant } from '../time';

export { digestOf, NO_DIGEST };

/** What an entry's digest covers. `author` is a principal's id. */
export type EntryContent = { identifier: string; title: string; body: string; author: string };
export const entryDigest = ({ identifier, title, body, author }: EntryContent): string => digestOf({ identifier, title, body, author });

/** What a landing's digest covers; `container` and `author` are ids. */
export type LandingContent = {
  container: string;
  sequence: number;
  grant: number;
  author: string;
  message: string;
  at: Instant;
  entries: { identifier: string; digest: string }[];
  previousDigest: string;
};
export const landingDigest = ({ container, sequence, grant, author, message, at, entries, previousDigest }: LandingContent): string =>
  digestOf({ container, sequence, grant, author, message, at, entries: entries.map(({ identifier, digest }) => ({ identifier, digest })), previousDigest });
