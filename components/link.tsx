import NextLink from 'next/link';
import type { ComponentProps } from 'react';

/** A link within the site. Nothing is fetched ahead: pages show a state that may be another a second later. */
export const Link = (props: ComponentProps<typeof NextLink>) => <NextLink prefetch={false} {...props} />;
