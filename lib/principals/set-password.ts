import type { Db } from '../db/pool';
import { changePrincipal } from './change';
import type { Actor, Principal } from './record';

/**
 * Sets a principal's password (8 to 200 characters) and ends its sessions; operators only.
 * @throws Problem `unauthenticated`, `forbidden`, `not-found`
 */
export const setPassword = (db: Db, actor: Actor, id: string, password: string): Promise<Principal> => changePrincipal(db, actor, id, { password });
