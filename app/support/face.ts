import type { Faced } from '@/components/live/live-badge';
import type { ContainerView } from '@/lib/containers/read';

/** What a live badge needs of a container. */
export const faceOf = ({ slug, badge, now, caution, cautionSince, cautionGrant, lock: { expiresAt, grant } }: Pick<ContainerView, keyof Faced & keyof ContainerView | 'lock'>): Faced => ({
  slug,
  badge,
  now,
  expiresAt,
  grant,
  caution,
  cautionSince,
  cautionGrant,
});
