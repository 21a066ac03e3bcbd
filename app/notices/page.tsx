import { Bell } from 'lucide-react';
import type { Metadata } from 'next';
import { Empty } from '@/components/empty';
import { Form } from '@/components/form';
import { Link } from '@/components/link';
import { NotifyToggle } from '@/components/live/notify-toggle';
import { NoticeItem } from '@/components/notice-item';
import { PageHead } from '@/components/page-head';
import { Pagination } from '@/components/pagination';
import { SubNav } from '@/components/sub-nav';
import { Submit } from '@/components/submit';
import { countUnread, readNotices } from '@/lib/notices/read';
import { first, load, withQuery, type Search } from '../support/load';
import { requireViewer } from '../support/viewer';
import { markOneRead, markRead } from './actions';

export const metadata: Metadata = { title: 'Notices' };

const UNREAD = '/notices?show=unread';

/** What one was told, newest first (Q-5, Q-6, P-1). */
export default async function Notices({ searchParams }: { searchParams: Search }) {
  const who = await requireViewer('/notices');
  const query = await searchParams;
  const cursor = first(query.cursor);
  const unreadOnly = first(query.show) === 'unread';
  const here = unreadOnly ? UNREAD : '/notices';
  const [{ items, next }, unread] = await load(here, (db) => Promise.all([readNotices(db, who.id, { limit: 30, cursor }, { unread: unreadOnly }), countUnread(db, who.id)]));
  return (
    <>
      <PageHead
        title="Notices"
        intro="What happened to what you hold, wait for or were given; for operators, also whose grant ran out."
        actions={
          <>
            <NotifyToggle />
            {unread > 0 && items[0] && (
              <Form action={markRead} label="Mark all as read" hidden={{ through: items[0].at }} inline>
                <Submit variant="plain">Mark all as read</Submit>
              </Form>
            )}
          </>
        }
      />
      <SubNav
        label="Which notices"
        at={here}
        items={[
          { label: 'All', href: '/notices' },
          { label: `Unread (${unread})`, href: UNREAD },
        ]}
      />
      <div className="card">
        {items.length === 0 ? (
          <Empty title={unreadOnly ? 'Nothing unread' : 'Nothing to tell yet'} icon={Bell} action={unreadOnly && <Link href="/notices" className="button button-small">Show all</Link>}>
            {unreadOnly
              ? 'You have read everything that you were told.'
              : 'While you wait: when your turn begins, and when your petition ends without you. While you hold: who waits and why, when your grant is about to run out, and when a push is refused. Each says why, and what to do next.'}
          </Empty>
        ) : (
          <ul aria-label="Notices" className="divide-y divide-line overflow-hidden rounded-[inherit]">
            {items.map((notice) => (
              <NoticeItem key={notice.id} notice={notice} markRead={markOneRead} />
            ))}
          </ul>
        )}
      </div>
      <Pagination first={cursor ? here : null} next={next && withQuery('/notices', { show: unreadOnly ? 'unread' : undefined, cursor: next })} />
    </>
  );
}
