import { HeartPulse } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Badge } from '@/components/badge';
import { Empty } from '@/components/empty';
import { NeedsRole } from '@/components/needs-role';
import { Pagination } from '@/components/pagination';
import { Section } from '@/components/section';
import { ServerClock } from '@/components/server-clock';
import { readContainers } from '@/lib/containers/read';
import { first, load, withQuery, type Search } from '../support/load';
import { requireRole } from '../support/viewer';
import { ClearForm } from '../c/[slug]/lock/clear-form';
import { AdminHead } from './admin-nav';

export const metadata: Metadata = { title: 'Silent locks' };

/** Every lock whose holder is silent, each with the form that clears it (LP-7). */
export default async function SilentLocks({ searchParams }: { searchParams: Search }) {
  if (!(await requireRole('operator', '/admin'))) return <NeedsRole role="operator" />;
  const cursor = first((await searchParams).cursor);
  const { items, next } = await load('/admin', (db, who) => readContainers(db, who, { badge: 'HOLDER SILENT' }, { limit: 20, cursor }));
  return (
    <>
      <AdminHead at="/admin" />
      {items[0] && <ServerClock now={items[0].now} />}
      {items.length === 0 ? (
        <div className="card">
          <Empty title="No lock is silent" icon={HeartPulse}>
            A holder that runs past its expiry is listed here. Only then can its lock be cleared, with a reason that everybody sees.
          </Empty>
        </div>
      ) : (
        <div className="flex flex-col gap-6">
          {items.map((container) => (
            <Section
              key={container.id}
              id={container.slug}
              title={container.title}
              aside={
                <span className="flex flex-wrap items-center gap-3">
                  <Badge badge={container.badge} />
                  <Link href={`/c/${container.slug}/lock`} className="link">
                    Lock page
                  </Link>
                </span>
              }
            >
              {container.lock.reason && <p className="mb-3 break-words text-ink-soft">Held because: <bdi>{container.lock.reason}</bdi></p>}
              <ClearForm slug={container.slug} lock={{ ...container.lock }} />
            </Section>
          ))}
        </div>
      )}
      <Pagination first={cursor ? '/admin' : null} next={next && withQuery('/admin', { cursor: next })} firstText="From the start" nextText="More" />
    </>
  );
}
