import { createHash, randomBytes } from 'node:crypto';
import type { Instant } from '../time';

/** A token as operators see it: everything but the token. */
export type Token = {
  id: string;
  label: string;
  createdAt: Instant;
  expiresAt: Instant;
  revokedAt: Instant | null;
  /** To within a minute. */
  lastUsedAt: Instant | null;
};

export const COLUMNS = `id, label, created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

/** A new token: `hf_` and 32 random bytes. */
export const newToken = (): string => `hf_${randomBytes(32).toString('base64url')}`;

/** Whether a text has a token's form. */
export const isTokenForm = (text: string): boolean => /^hf_[A-Za-z0-9_-]{43}$/.test(text);

/** What is kept of a token. It is random, so a plain digest cannot be reversed. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');
