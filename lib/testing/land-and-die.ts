/**
 * A process of its own that lands once and dies by SIGKILL right after the commit, before the
 * answer gets anywhere. Arguments: database URL, slug, principal, idempotency key, body as JSON.
 */
import { createPool } from '../db/pool';
import { land } from '../register/land';

const [url, slug, principal, key, body] = process.argv.slice(2) as [string, string, string, string, string];
await land(createPool(url), slug, principal, key, JSON.parse(body));
process.kill(process.pid, 'SIGKILL');
