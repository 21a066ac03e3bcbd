import clsx from 'clsx';
import type { Notice } from '../lib/notices/read';
import type { FormAction } from './action-result';
import { Form } from './form';
import { Link } from './link';
import { noticeInstant, noticeText } from './notice-text';
import { Submit } from './submit';
import { Time } from './time';

/** One notice of the inbox: what happened, where, why, and what to do next. */
export function NoticeItem({ notice, markRead }: { notice: Notice; markRead: FormAction }) {
  const { title, sentence, next, href, place } = noticeText(notice);
  const instant = noticeInstant(notice);
  const unread = notice.readAt === null;
  return (
    <li className={clsx('flex flex-wrap items-start justify-between gap-x-6 gap-y-3 border-l-4 px-4 py-4 sm:px-5', unread ? 'border-l-accent' : 'border-l-transparent')}>
      <div className="min-w-0 basis-96 grow">
        <h2 className={clsx('flex flex-wrap items-baseline gap-x-2 break-words', unread && 'font-semibold')}>
          {unread && <span className="rounded bg-accent-soft px-1.5 text-[0.75rem] font-medium text-accent">unread</span>}
          <span className="min-w-0 break-words">{title}</span>
        </h2>
        <p className="mt-1 max-w-[72ch] break-words text-[0.9375rem]">
          {sentence}
          {instant && (
            <>
              {' '}
              {instant.label} <Time at={instant.at} />.
            </>
          )}
        </p>
        {next && <p className="mt-1 max-w-[72ch] break-words text-[0.9375rem] text-ink-soft">Next: {next}</p>}
        <p className="mt-1.5 flex flex-wrap gap-x-3 text-[0.875rem] text-ink-soft">
          {notice.container && (
            <Link href={href} className="link">
              {place} of {notice.container.title}
            </Link>
          )}
          <Time at={notice.at} />
        </p>
      </div>
      {unread && (
        <Form action={markRead} label={`Mark “${title}” as read`} hidden={{ id: notice.id }} inline>
          <Submit variant="plain" small>
            Mark as read
          </Submit>
        </Form>
      )}
    </li>
  );
}
