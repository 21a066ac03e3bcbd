import type { Block, Lease } from '../lib/collaboration/read';
import type { FormAction } from './action-result';
import { Form } from './form';
import { Markdown } from './markdown';
import { Principal } from './principal';
import { Submit } from './submit';
import { Time } from './time';

type Props = { slug: string; blocks: Block[]; leases: Lease[]; prefix: string; viewerId: string | undefined; leads: boolean; mark: FormAction };

const ORDER = { open: 0, returned: 1, done: 2, closed: 3 } as const;

/** The blocks of work, open ones first (B-1). */
export function BlockList({ slug, blocks, leases, prefix, viewerId, leads, mark }: Props) {
  const leased = new Map(leases.map((l) => [l.id, `${prefix}-${l.from} to ${prefix}-${l.through}`]));
  return (
    <ul aria-label="Blocks" className="divide-y divide-line">
      {blocks.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]).map((block) => (
        <li key={block.id} className="flex flex-wrap items-start justify-between gap-3 px-4 py-3 sm:px-5">
          <div className="min-w-0 grow basis-60">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <bdi className="font-medium break-words">{block.title}</bdi>
              <span className="rounded bg-sunken px-1.5 font-mono text-[0.75rem] leading-5 text-ink-soft">{block.state}</span>
            </p>
            {block.description && (
              <div className="mt-1 text-[0.9375rem]">
                <Markdown text={block.description} />
              </div>
            )}
            <p className="mt-1 flex flex-wrap items-baseline gap-x-3 text-[0.875rem] text-ink-soft">
              <Principal principal={block.assignee} />
              {block.leaseId && leased.has(block.leaseId) && <span className="font-mono">{leased.get(block.leaseId)}</span>}
              <span>
                grant <span className="font-mono">{block.grant}</span>
              </span>
              <Time at={block.at} />
            </p>
          </div>
          {block.state === 'open' && (leads || block.assignee.id === viewerId) && (
            <Form action={mark} label={`Mark “${block.title}”`} hidden={{ slug, block: block.id }} inline>
              <Submit variant="plain" small name="state" value="done">
                Done
              </Submit>
              <Submit variant="plain" small name="state" value="returned">
                Return
              </Submit>
            </Form>
          )}
        </li>
      ))}
    </ul>
  );
}
