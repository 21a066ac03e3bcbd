import { CircleCheck, CircleDashed, CircleX, RotateCw } from 'lucide-react';
import type { DeliveryState as State } from '../lib/webhooks/record';

const LOOKS = {
  queued: { icon: CircleDashed, text: 'on its way', className: 'text-ink-soft' },
  delivered: { icon: CircleCheck, text: 'delivered', className: 'text-good' },
  failed: { icon: RotateCw, text: 'failed, will retry', className: 'text-caution' },
  'given-up': { icon: CircleX, text: 'given up', className: 'text-danger' },
} as const satisfies Record<State, unknown>;

/** How a delivery stands: a sign and a word. */
export function DeliveryState({ state }: { state: State }) {
  const { icon: Icon, text, className } = LOOKS[state];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${className}`}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {text}
    </span>
  );
}
