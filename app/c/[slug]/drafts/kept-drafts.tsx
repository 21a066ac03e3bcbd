import { Form } from '@/components/form';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { Time } from '@/components/time';
import type { Draft } from '@/lib/drafts/read';
import { copy, remove } from './actions';

/** LP-8: drafts of ended grants are kept for their author, who can copy them to the grant held now. */
export function KeptDrafts({ slug, drafts, current }: { slug: string; drafts: Draft[]; current: number | undefined }) {
  return (
    <Section title="From earlier grants" id="kept" flush intro="These were not pushed before their grant ended. They are yours alone; copy them to a grant that you hold.">
      <ul aria-label="Drafts of earlier grants" className="divide-y divide-line">
        {drafts.map((draft) => (
          <li key={`${draft.grant}.${draft.identifier}`} className="px-4 py-3 sm:px-5">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="min-w-0">
                <span className="font-mono text-[0.875rem]">{draft.identifier}</span> <bdi className="font-medium break-words">{draft.title}</bdi>
                <span className="block text-[0.875rem] text-ink-soft">
                  grant <span className="font-mono">{draft.grant}</span>, revision {draft.revision}, <Time at={draft.at} />
                </span>
              </p>
              <div className="flex flex-wrap gap-2">
                {current !== undefined && (
                  <Form action={copy} label={`Copy the draft of ${draft.identifier} to grant ${current}`} hidden={{ slug, identifier: draft.identifier, from: draft.grant, grant: current }} inline>
                    <Submit variant="plain" small>
                      Copy to grant {current}
                    </Submit>
                  </Form>
                )}
                <Form action={remove} label={`Delete the draft of ${draft.identifier} under grant ${draft.grant}`} base={draft.revision} hidden={{ slug, identifier: draft.identifier, grant: draft.grant }} inline>
                  <Submit variant="plain" small>
                    Delete
                  </Submit>
                </Form>
              </div>
            </div>
            <details className="mt-2">
              <summary className="w-fit cursor-pointer text-[0.875rem] font-medium">Its text</summary>
              <pre tabIndex={0} aria-label={`Text of ${draft.identifier}`} className="mt-2 max-h-72 overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-[0.8125rem] whitespace-pre-wrap">
                {draft.body}
              </pre>
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}
