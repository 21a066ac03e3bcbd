'use client';

import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Fault, Refused } from './action-result';
import { Principal } from './principal';
import { Time } from './time';

type Named = { name: string; kind: 'person' | 'agent' };

const isInstant = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
const isNamed = (value: unknown): value is Named => typeof value === 'object' && value !== null && 'name' in value && 'kind' in value;

/** The members that people are told; the rest is for programs. */
const LABELS: Record<string, string> = {
  yourGrant: 'Your grant',
  currentGrant: 'Current grant',
  grant: 'Grant',
  holder: 'Held by',
  reason: 'Reason',
  grantedAt: 'Since',
  expiresAt: 'Until',
  turnOf: 'Whose turn it is',
  yourTurnAt: 'Your turn begins',
  clearableAt: 'Can be cleared from',
  from: 'From',
  through: 'Through',
  state: 'State',
};

function shown(value: unknown): ReactNode {
  if (isNamed(value)) return <Principal principal={value} />;
  if (isInstant(value)) return <Time at={value} />;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function Members({ members }: { members: Record<string, unknown> }) {
  const facts = Object.entries(LABELS).flatMap(([key, label]) => {
    const value = shown(members[key]);
    return value === undefined || value === '' ? [] : [{ key, label, value }];
  });
  if (facts.length === 0) return null;
  return (
    <dl className="mt-2.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.875rem] text-ink">
      {facts.map((fact) => (
        <div key={fact.key} className="contents">
          <dt className="text-ink-soft">{fact.label}</dt>
          <dd className="min-w-0 break-words">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Why a form was refused: the summary at its head, with a link to each field at fault (R-2: a refusal is a receipt). */
export function Refusal({ refused, links, children }: { refused: Refused; links: { fault: Fault; href?: string; label: string }[]; children?: ReactNode }) {
  return (
    <div className="flex gap-3 rounded-xl border border-danger-line bg-danger-soft p-4 text-[0.9375rem]">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-danger" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold text-danger">{refused.title}</p>
        {links.length === 0 ? (
          <p className="mt-0.5 break-words">{refused.detail}</p>
        ) : (
          <ul className="mt-1 list-disc pl-5">
            {links.map(({ fault, href, label }, i) => (
              <li key={i} className="break-words">
                {href ? (
                  <a href={href} className="link">
                    {label}
                  </a>
                ) : (
                  label
                )}
                {label && ': '}
                {fault.message}
              </li>
            ))}
          </ul>
        )}
        {refused.members && <Members members={refused.members} />}
        {children}
      </div>
    </div>
  );
}
