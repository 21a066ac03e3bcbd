import { CloudAlert } from 'lucide-react';
import { Empty } from './empty';

/** A page that could not be shown, with the number that finds its line in the log. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : undefined;
  return (
    <div role="alert" className="card mx-auto mt-8 max-w-xl">
      <h1 className="sr-only">Something went wrong</h1>
      <Empty
        icon={CloudAlert}
        title="This page could not be shown"
        action={
          <div className="flex flex-wrap justify-center gap-3">
            <button type="button" className="button button-primary" onClick={retry}>
              Try again
            </button>
            {/* A whole load: what failed may be the script. */}
            <a href="/" className="button">
              To the board
            </a>
          </div>
        }
      >
        <p>Nothing was changed by it. Locks, grants and the register go on as they are.</p>
        {digest && (
          <p className="mt-2">
            If it happens again, tell an operator this number: <code className="text-[0.875rem] break-all">{digest}</code>
          </p>
        )}
      </Empty>
    </div>
  );
}
