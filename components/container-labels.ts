/** The fields of a container as people read them. */
export const CONTAINER_LABELS: Record<string, string> = {
  slug: 'Slug',
  title: 'Title',
  description: 'Description',
  prefix: 'Prefix',
  termSeconds: 'Term, in seconds',
  windowSeconds: 'Window, in seconds',
  public: 'Public',
  summary: 'Summary',
};
