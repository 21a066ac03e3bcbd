'use client';

import { Failure } from '@/components/failure';

export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  return <Failure error={error} retry={retry} />;
}
