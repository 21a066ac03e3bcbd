import { KeyRound } from 'lucide-react';
import { CopyButton } from './copy-button';

/** A secret that is shown this once. */
export function Once({ text, message }: { text: string; message: string }) {
  return (
    <div className="rounded-xl border border-good-line bg-good-soft p-4">
      <p className="flex gap-2 font-medium text-good">
        <KeyRound aria-hidden className="mt-0.5 size-5 shrink-0" />
        {message}
      </p>
      <p className="mt-1 text-[0.9375rem]">It is shown this once. Copy it now.</p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <code data-testid="once" className="min-w-0 rounded-md border border-line bg-surface px-3 py-1.5 text-[0.875rem] break-all select-all">
          {text}
        </code>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
