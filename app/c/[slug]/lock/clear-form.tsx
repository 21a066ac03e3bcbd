import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { TextArea } from '@/components/text-area';
import { Time } from '@/components/time';
import type { LockView } from '@/lib/lock-page/read';
import { clearLock } from './actions';

type Silent = Pick<LockView, 'holder' | 'grant' | 'revision' | 'expiresAt' | 'lastBeatAt'>;

/** LP-7: the operator's one intervention. It names the grant that it clears, and demands a reason. */
export function ClearForm({ slug, lock }: { slug: string; lock: Silent }) {
  return (
    <Form action={clearLock} label={`Clear grant ${lock.grant} of ${slug}`} base={lock.revision} hidden={{ slug, grant: lock.grant }} keep={`clear.${slug}.${lock.grant}`} labels={{ reason: 'Reason' }}>
      <p className="text-[0.9375rem]">
        Clear grant <span className="font-mono font-medium">{lock.grant}</span> of <strong>{lock.holder?.name}</strong>, silent since <Time at={lock.expiresAt!} />
        {lock.lastBeatAt && (
          <>
            , last heartbeat <Time at={lock.lastBeatAt} />
          </>
        )}
        . The grant can never land again, and the caution stays until the next push and release.
      </p>
      <TextArea name="reason" label="Reason" required maxLength={1000} rows={2} hint="It stands in the audit line on the lock page." />
      <Submit variant="danger" command={`Clear grant ${lock.grant}`}>
        Clear grant {lock.grant}
      </Submit>
    </Form>
  );
}
