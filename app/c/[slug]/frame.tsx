import type { ReactNode } from 'react';
import { Rescue } from '@/components/rescue';
import { Follow } from '@/components/live/follow';
import { GrantWatch } from '@/components/live/grant-watch';
import { HeartbeatSlot } from '@/components/live/heartbeat-slot';
import { LiveBadge, LiveCaution } from '@/components/live/live-badge';
import { LiveMark } from '@/components/live/live-mark';
import { PageHead } from '@/components/page-head';
import { PendingPart } from '@/components/pending-area';
import { ServerClock } from '@/components/server-clock';
import { Tabs } from '@/components/tabs';
import type { ContainerView } from '@/lib/containers/read';
import { faceOf } from '../../support/face';
import { seenSnapshot } from '../../support/load';
import { viewer } from '../../support/viewer';

type Framed = Pick<ContainerView, 'slug' | 'title' | 'badge' | 'caution' | 'cautionSince' | 'cautionGrant' | 'now' | 'archivedAt' | 'lock'>;

/**
 * What every page of a container shows: its title, badge, caution and tabs.
 * @param columns puts the one part that is `side` beside all others, where there is room
 */
export async function ContainerFrame({ container, actions, columns = false, children }: { container: Framed; actions?: ReactNode; columns?: boolean; children: ReactNode }) {
  const { slug, title, now, archivedAt } = container;
  const made = faceOf(container);
  const seen = seenSnapshot();
  const who = await viewer();
  return (
    <>
      <ServerClock now={now} />
      {seen && <Follow seen={[{ slug, now: seen.face.now, versions: seen.versions }]} />}
      <PageHead
        title={title}
        crumbs={[{ label: 'Board', href: '/' }]}
        badge={
          <>
            <LiveBadge made={made} large />
            <LiveMark />
          </>
        }
        actions={actions}
      />
      {archivedAt && (
        <p className="mb-4 rounded-xl border border-line bg-sunken p-4 text-[0.9375rem]">This container is archived: it can be read, not written.</p>
      )}
      <LiveCaution made={made} />
      {seen && who && <GrantWatch slug={slug} made={seen.face} viewer={who.id} />}
      {seen && who && <HeartbeatSlot slug={slug} made={seen.face} viewer={who.id} />}
      <Rescue />
      <Tabs slug={slug} />
      <PendingPart slug={slug}>
        <div className={columns ? 'columns-wide' : 'flex flex-col gap-6'}>{children}</div>
      </PendingPart>
    </>
  );
}
