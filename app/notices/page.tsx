import { Bell } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Empty } from '@/components/empty';
import { Form } from '@/components/form';
import { noticeText } from '@/components/notice-text';
import { PageHead } from '@/components/page-head';
import { Pagination } from '@/components/pagination';
import { Submit } from '@/components/submit';
import { Time } from '@/components/time';
import { readNotices } from '@/lib/notices/read';
import { first, load, withQuery, type Search } from '../support/load';
import { requireViewer } from '../support/viewer';
import { markRead } from './actions';

export const metadata: Metadata = { title: 'Notices' };

/** What one was told (Q-5, Q-6, P-1). */
export default async function Notices({ searchParams }: { searchParams: Search }) {
  const who = await requireViewer('/notices');
  const cursor = first((await searchParams).cursor);
  const { items, next } = await load('/notices', (db) => readNotices(db, who.id, { limit: 50, cursor }));
  const unread = items.some((n) => n.readAt === null);
  return (
    <>
      <PageHead
        title="Notices"
        actions={
          unread && (
            <Form action={markRead} label="Mark as read" hidden={{ through: items[0]!.at }} inline>
              <Submit variant="plain">Mark all as read</Submit>
            </Form>
          )
        }
      />
      <div className="card">
        {items.length === 0 ? (
          <Empty title="Nothing to tell" icon={Bell}>
            When a petition of yours lapses, a lock of yours is cleared, or work is given to you, it is told here.
          </Empty>
        ) : (
          <ul aria-label="Notices" className="divide-y divide-line">
            {items.map((notice) => (
              <li key={notice.id} className="px-4 py-3 sm:px-5">
                <p className="flex flex-wrap items-baseline gap-x-2">
                  {notice.readAt === null && <span className="rounded bg-accent-soft px-1.5 text-[0.75rem] font-medium text-accent">new</span>}
                  <span className="min-w-0 break-words">{noticeText(notice)}</span>
                </p>
                <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.875rem] text-ink-soft">
                  {notice.container && (
                    <Link href={`/c/${notice.container.slug}/lock`} className="link">
                      {notice.container.title}
                    </Link>
                  )}
                  <Time at={notice.at} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </div>
      <Pagination first={cursor ? '/notices' : null} next={next && withQuery('/notices', { cursor: next })} />
    </>
  );
}
