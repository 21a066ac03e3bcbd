'use client';

import { Failure } from '@/components/failure';
import { letters } from './fonts';
import './globals.css';

/** Stands for the whole document when the layout itself fails, such as without a database. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" className={letters}>
      <body>
        <title>Something went wrong · Holdfast</title>
        <main className="p-4">
          <Failure error={error} retry={retry} />
        </main>
      </body>
    </html>
  );
}
