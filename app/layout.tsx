import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { Commands } from '@/components/commands/commands';
import { Footer } from '@/components/footer';
import { Header } from '@/components/header';
import { LiveRoot } from '@/components/live/live-root';
import { LiveRegion } from '@/components/live-region';
import { MadeAtProvider } from '@/components/made-at';
import { TourSlot } from '@/components/tour-slot';
import { PendingPage } from '@/components/pending-area';
import { PendingLine } from '@/components/pending-line';
import { THEME_COOKIE, themeOf } from '@/components/theme';
import { ViewerProvider } from '@/components/viewer-context';
import { readNow } from '@/lib/live/snapshot';
import { countUnread } from '@/lib/notices/read';
import { readTour } from '@/lib/practice/tour';
import { runtime } from '@/lib/runtime';
import { letters } from './fonts';
import './globals.css';
import { signOut } from './sign-in/actions';
import { askGuide, beginPractice } from './support/practice-actions';
import { readFlash } from './support/set-cookies';
import { setTheme } from './support/theme-action';
import { viewer } from './support/viewer';

// Every page carries a nonce of its own, and shows state that changes by time alone.
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'Holdfast', template: '%s · Holdfast' },
  description: 'Work under a coarse lock: one holder at a time, a queue, and a register of what landed.',
  icons: { icon: '/icon.svg' },
  robots: { index: false },
  formatDetection: { telephone: false, date: false, address: false, email: false },
};

export const viewport: Viewport = {
  colorScheme: 'light dark',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#181c1b' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const [caller, jar, flash] = await Promise.all([viewer(), cookies(), readFlash()]);
  const { db } = runtime();
  const [now, notices, tour] = await Promise.all([readNow(db), caller ? countUnread(db, caller.id) : 0, readTour(db, caller)]);
  const theme = themeOf(jar.get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme === 'system' ? undefined : theme} className={letters}>
      <body className="flex min-h-dvh flex-col">
        <a href="#main" className="button button-primary absolute top-2 left-2 z-30 -translate-y-20 focus:translate-y-0">
          Skip to content
        </a>
        <Header viewer={caller} notices={notices} theme={theme} setTheme={setTheme} signOut={signOut} />
        <main id="main" tabIndex={-1} className="page-width flex-1 pt-6 pb-24 focus:outline-none sm:pt-8">
          <LiveRoot viewer={caller?.id} unread={notices} />
          <ViewerProvider id={caller?.id}>
            {tour && <TourSlot practice={tour.practice} begin={beginPractice} askGuide={askGuide} />}
            <MadeAtProvider now={now}>
              <PendingPage>{children}</PendingPage>
            </MadeAtProvider>
          </ViewerProvider>
        </main>
        <Footer />
        <LiveRegion initial={flash} />
        <PendingLine />
        <Commands role={caller?.role} theme={theme} setTheme={setTheme} signOut={signOut} />
      </body>
    </html>
  );
}
