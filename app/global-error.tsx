'use client';

import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import { Failure } from '@/components/failure';
import './globals.css';

/** Stands for the whole document when the layout itself fails, such as without a database. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <body>
        <title>Something went wrong · Holdfast</title>
        <main className="p-4">
          <Failure error={error} retry={retry} />
        </main>
      </body>
    </html>
  );
}
