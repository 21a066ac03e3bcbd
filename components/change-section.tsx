import type { ReactNode } from 'react';
import { Link } from './link';
import { Section } from './section';

/** What one revision changed, at the head of a history. */
export function ChangeSection({ revision, summary, close, children }: { revision: number; summary: string; close: string; children: ReactNode }) {
  return (
    <Section
      title={`Revision ${revision}: ${summary}`}
      id="difference"
      aside={
        <Link href={close} className="link">
          Close
        </Link>
      }
    >
      <div className="flex flex-col gap-5">{children}</div>
    </Section>
  );
}
