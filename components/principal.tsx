import { Bot, UserRound } from 'lucide-react';
import type { PrincipalRef } from '../lib/roles';

type Shown = Pick<PrincipalRef, 'name' | 'kind'>;

/** A person or an agent. Nobody stands for what Holdfast did itself. */
export function Principal({ principal }: { principal: Shown | null }) {
  if (!principal) return <span className="text-ink-faint">Holdfast</span>;
  const Icon = principal.kind === 'agent' ? Bot : UserRound;
  return (
    <span className="inline-flex max-w-full items-baseline gap-1.5">
      <Icon aria-hidden className="size-[1em] shrink-0 translate-y-[0.125em] text-ink-faint" />
      <bdi className="min-w-0 font-medium break-words">{principal.name}</bdi>
      {principal.kind === 'agent' ? (
        <span className="rounded border border-line px-1 font-mono text-[0.6875rem] leading-4 text-ink-faint">agent</span>
      ) : (
        <span className="sr-only">(person)</span>
      )}
    </span>
  );
}
