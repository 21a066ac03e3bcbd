'use client';

import { createContext, useContext, type ReactNode } from 'react';

const ViewerContext = createContext<string | undefined>(undefined);

/** Tells the forms who looks, so that text kept in the browser goes back to its author only. */
export const ViewerProvider = ({ id, children }: { id: string | undefined; children: ReactNode }) => <ViewerContext value={id}>{children}</ViewerContext>;

export const useViewerId = (): string | undefined => useContext(ViewerContext);
