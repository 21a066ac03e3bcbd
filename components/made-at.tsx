'use client';

import { createContext, useContext, type ReactNode } from 'react';

const MadeAt = createContext<number | undefined>(undefined);

/** Tells times when the page was made, by the server's clock (T-3): before scripts run nothing else is known of the present. */
export const MadeAtProvider = ({ now, children }: { now: string; children: ReactNode }) => <MadeAt value={Date.parse(now)}>{children}</MadeAt>;

/** When the page was made, in milliseconds since 1970. */
export const useMadeAt = (): number | undefined => useContext(MadeAt);
