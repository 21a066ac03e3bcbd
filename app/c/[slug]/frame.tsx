import type { ReactNode } from 'react';
import { Badge } from '@/components/badge';
import { Caution } from '@/components/caution';
import { PageHead } from '@/components/page-head';
import { PendingPart } from '@/components/pending-area';
import { ServerClock } from '@/components/server-clock';
import { Tabs } from '@/components/tabs';
import type { ContainerView } from '@/lib/containers/read';

type Framed = Pick<ContainerView, 'slug' | 'title' | 'badge' | 'caution' | 'cautionSince' | 'cautionGrant' | 'now' | 'archivedAt'>;

/**
 * What every page of a container shows: its title, badge, caution and tabs.
 * @param columns puts the one part that is `side` beside all others, where there is room
 */
export function ContainerFrame({ container, actions, columns = false, children }: { container: Framed; actions?: ReactNode; columns?: boolean; children: ReactNode }) {
  const { slug, title, badge, caution, cautionSince, cautionGrant, now, archivedAt } = container;
  return (
    <>
      <ServerClock now={now} />
      <PageHead title={title} crumbs={[{ label: 'Board', href: '/' }]} badge={<Badge badge={badge} large />} actions={actions} />
      {archivedAt && (
        <p className="mb-4 rounded-xl border border-line bg-sunken p-4 text-[0.9375rem]">This container is archived: it can be read, not written.</p>
      )}
      {caution && cautionSince && cautionGrant !== null && (
        <div className="mb-4">
          <Caution since={cautionSince} grant={cautionGrant} />
        </div>
      )}
      <Tabs slug={slug} />
      <PendingPart slug={slug}>
        <div className={columns ? 'columns-wide' : 'flex flex-col gap-6'}>{children}</div>
      </PendingPart>
    </>
  );
}
