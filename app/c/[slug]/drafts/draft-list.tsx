import { Link } from '@/components/link';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { Time } from '@/components/time';
import type { Draft } from '@/lib/drafts/read';
import { remove } from './actions';

/** The open drafts of the present grant. */
export function DraftList({ slug, drafts }: { slug: string; drafts: Draft[] }) {
  return (
    <ul aria-label="Drafts" className="divide-y divide-line">
      {drafts.map((draft) => (
        <li key={draft.identifier} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3 sm:px-5">
          <div className="min-w-0">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-mono text-[0.875rem]">{draft.identifier}</span>
              <Link href={`/c/${slug}/drafts?edit=${draft.identifier}&grant=${draft.grant}`} dir="auto" className="link font-medium break-words">
                {draft.title}
              </Link>
            </p>
            <p className="text-[0.875rem] text-ink-soft">
              revision {draft.revision}, <Time at={draft.at} />
            </p>
          </div>
          <Form action={remove} label={`Delete the draft of ${draft.identifier}`} base={draft.revision} hidden={{ slug, identifier: draft.identifier, grant: draft.grant }} inline>
            <Submit variant="plain" small>
              Delete
            </Submit>
          </Form>
        </li>
      ))}
    </ul>
  );
}
