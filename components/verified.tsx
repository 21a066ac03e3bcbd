import { CircleAlert, CircleCheck } from 'lucide-react';
import type { Verification } from '../lib/register/verify';

/** What verifying a register came to. */
export function Verified({ verification: { ok, checked, firstBad } }: { verification: Verification }) {
  if (ok) {
    return (
      <p role="status" data-testid="verified" className="flex gap-2 rounded-xl border border-good-line bg-good-soft p-3 text-[0.9375rem] text-good">
        <CircleCheck aria-hidden className="mt-0.5 size-5 shrink-0" />
        The chain holds: {checked === 1 ? '1 landing was' : `${checked} landings were`} rehashed, every digest matches.
      </p>
    );
  }
  return (
    <p role="alert" data-testid="verified" className="flex gap-2 rounded-xl border border-danger-line bg-danger-soft p-3 text-[0.9375rem] text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      The chain does not hold: at landing {firstBad?.sequence}, {firstBad?.reason}. {checked} before it are good.
    </p>
  );
}
