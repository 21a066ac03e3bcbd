import clsx from 'clsx';

const Bar = ({ className }: { className?: string }) => <div className={clsx('sketch', className)} />;

function Rows({ count }: { count: number }) {
  return (
    <div className="card overflow-hidden">
      <div className="border-b border-line px-5 py-3.5">
        <Bar className="h-3 w-40" />
      </div>
      {Array.from({ length: count }, (_, i) => (
        <div key={i} className="flex items-center gap-6 border-b border-line px-5 py-4 last:border-b-0">
          <Bar className="h-4 w-2/5" />
          <Bar className="h-4 w-24" />
          <Bar className="h-4 w-1/5 max-sm:hidden" />
        </div>
      ))}
    </div>
  );
}

function Lines({ count }: { count: number }) {
  return (
    <div className="card p-5">
      <Bar className="mb-5 h-4 w-28" />
      <div className="space-y-3">
        {Array.from({ length: count }, (_, i) => (
          <Bar key={i} className={clsx('h-4', i === count - 1 ? 'w-1/2' : 'w-full')} />
        ))}
      </div>
    </div>
  );
}

function FactsSketch() {
  return (
    <div className="card p-5">
      <Bar className="mb-5 h-4 w-20" />
      <div className="grid grid-cols-2 gap-6 xl:grid-cols-4">
        {Array.from({ length: 8 }, (_, i) => (
          <div key={i} className="space-y-2">
            <Bar className="h-3 w-16" />
            <Bar className="h-4 w-32 max-w-full" />
          </div>
        ))}
      </div>
    </div>
  );
}

/** What will stand under a container's tabs, in outline. */
export function PartSketch({ path }: { path: string }) {
  const part = path.split('/')[3] ?? '';
  const body =
    part === '' ? (
      <>
        <FactsSketch />
        <Rows count={5} />
      </>
    ) : part === 'lock' && !path.endsWith('/history') ? (
      <div className="columns-wide">
        <FactsSketch />
        <Lines count={3} />
        <div className="side">
          <Lines count={4} />
        </div>
      </div>
    ) : part === 'register' || part === 'passes' || part === 'amendments' || path.endsWith('/history') ? (
      <Rows count={6} />
    ) : (
      <>
        <Lines count={3} />
        <Rows count={3} />
      </>
    );
  return (
    <div aria-hidden data-sketch className="flex flex-col gap-6">
      {body}
    </div>
  );
}

/** A page in outline: its head, where it has tabs those, and its parts. */
export function PageSketch({ path }: { path: string }) {
  const inside = path.startsWith('/c/');
  const tabbed = inside || path.startsWith('/admin');
  return (
    <div aria-hidden data-sketch>
      {inside && <Bar className="mb-3 h-3.5 w-12" />}
      <Bar className="mb-6 h-8 w-56 max-w-full" />
      {tabbed && (
        <div className="mb-6 flex gap-6 overflow-hidden border-b border-line py-3">
          {Array.from({ length: inside ? 8 : 4 }, (_, i) => (
            <Bar key={i} className="h-4 w-16 shrink-0" />
          ))}
        </div>
      )}
      {inside ? <PartSketch path={path} /> : path === '/new' || path === '/sign-in' ? <Lines count={6} /> : <Rows count={6} />}
    </div>
  );
}
