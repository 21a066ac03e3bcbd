/**
 * Beats for a lead, on a thread of its own, where a tab in the background is not slowed down.
 * It never beats for nobody: once nobody has touched any page for a while it says so, warns,
 * and stops. The server judges each beat (LP-5, R-1): one that comes too late changes nothing.
 */
import type { FromWorker, Orders } from './heartbeat-orders';

const scope = self as unknown as { postMessage(message: FromWorker): void; onmessage: ((event: MessageEvent<Orders>) => void) | null };

/** How often it looks, in milliseconds. */
const LOOK_MS = 500;
/** A beat that found no server, or a busy one, is tried again after so long, in milliseconds. */
const AGAIN_MS = 5_000;

let orders: Orders | undefined;
let beating = false;
let notBefore = 0;
let warned = false;

async function beat({ slug, grant, base }: Orders): Promise<void> {
  beating = true;
  try {
    const response = await fetch(`/api/v1/containers/${encodeURIComponent(slug)}/lock/heartbeat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'If-Match': `"${base}"` },
      body: JSON.stringify({ grant }),
    });
    const answer = (await response.json()) as { revision?: number; expiresAt?: string; now?: string; atCap?: boolean; detail?: string; code?: string };
    if (response.ok) {
      if (orders?.grant === grant) orders = { ...orders, base: answer.revision!, expiresAt: answer.expiresAt!, offset: Date.parse(answer.now!) - Date.now(), atCap: answer.atCap ?? false };
      scope.postMessage({ kind: 'beat', at: answer.now!, expiresAt: answer.expiresAt!, atCap: answer.atCap ?? false });
      return;
    }
    const passing = response.status === 429 || response.status >= 500;
    notBefore = performance.now() + (passing ? AGAIN_MS : Infinity);
    scope.postMessage(passing ? { kind: 'missed' } : { kind: 'refused', code: answer.code ?? '', detail: answer.detail ?? '' });
  } catch {
    notBefore = performance.now() + AGAIN_MS;
    scope.postMessage({ kind: 'missed' });
  } finally {
    beating = false;
  }
}

function look(): void {
  if (!orders || beating) return;
  const { on, expiresAt, offset, termMs, idleMs, touchedAt, atCap } = orders;
  if (!on) return;
  const idle = Date.now() - touchedAt;
  if (idle >= idleMs) {
    orders = { ...orders, on: false };
    scope.postMessage({ kind: 'idle' });
    return;
  }
  const soon = idle >= idleMs - Math.min(300_000, idleMs / 4);
  if (soon && !warned) scope.postMessage({ kind: 'idle-soon', leftMs: idleMs - idle });
  warned = soon;
  const left = Date.parse(expiresAt) - (Date.now() + offset);
  // At the cap there is nothing to gain; before, one beat each third of a term.
  if (!atCap && left <= (termMs * 2) / 3 && performance.now() >= notBefore) void beat(orders);
}

scope.onmessage = ({ data }) => {
  if (data.grant !== orders?.grant || data.base > orders.base || (data.on && !orders.on)) notBefore = 0;
  // The page may not have heard yet what the last beat brought.
  const newer = orders?.grant === data.grant && orders.base > data.base ? { base: orders.base, expiresAt: orders.expiresAt, atCap: orders.atCap } : {};
  orders = { ...data, ...newer };
  look();
};
setInterval(look, LOOK_MS);
