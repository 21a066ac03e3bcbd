import type { Petition } from '../lib/collaboration/read';
import { Principal } from './principal';
import { Time } from './time';

const ENDED: Record<string, string> = { granted: 'granted', withdrawn: 'withdrawn', lapsed: 'lapsed: its whole window went by in two handovers' };

/** Petitions that have ended, the latest first. */
export function PastPetitions({ petitions }: { petitions: Petition[] }) {
  if (petitions.length === 0) return null;
  return (
    <details className="border-t border-line">
      <summary className="cursor-pointer px-4 py-3 text-[0.9375rem] font-medium sm:px-5">Ended petitions ({petitions.length})</summary>
      <ul className="divide-y divide-line border-t border-line">
        {petitions.toReversed().map((petition) => (
          <li key={petition.id} className="px-4 py-2.5 text-[0.9375rem] sm:px-5">
            <Principal principal={petition.principal} /> <span className="break-words text-ink-soft">“<bdi>{petition.reason}</bdi>”</span>
            <p className="text-[0.875rem] text-ink-soft">
              {ENDED[petition.state]}
              {petition.grant !== undefined && `, grant ${petition.grant}`} · asked <Time at={petition.at} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
