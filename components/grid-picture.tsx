import clsx from 'clsx';
import type { ArrowStatus as Status } from '../lib/engine/status';
import type { Grid } from '../lib/grid/document';

const SHAPES: Record<Status, { className: string; dash?: string; mark: string }> = {
  complete: { className: 'stroke-good fill-good', mark: '✓' },
  provisional: { className: 'stroke-caution fill-caution', dash: '2 4', mark: '…' },
  unevaluated: { className: 'stroke-ink-faint fill-ink-faint', dash: '6 5', mark: '○' },
  blocked: { className: 'stroke-danger fill-danger', mark: '✕' },
  invalidated: { className: 'stroke-danger fill-danger', dash: '10 4 2 4', mark: '↺' },
};

const COLUMN = 230;
const ROW = 56;
const LEFT = 70;
const TOP = 44;

type Placed = { id: string; from: string; to: string; status: Status; x: number; y: number };

/** Arrows by context (columns) and stratum (bands from the bottom), as a picture that shows each one's status. The table beside it says the same in words. */
export function GridPicture({ grid, statuses }: { grid: Grid; statuses: Map<string, Status> }) {
  const strata = [...new Set(grid.arrows.map((a) => a.stratum))].sort((a, b) => b - a);
  const depth = strata.map((stratum) => Math.max(...grid.contexts.map((c) => grid.arrows.filter((a) => a.stratum === stratum && a.context === c).length)));
  const bandTop = (index: number): number => TOP + depth.slice(0, index).reduce((sum, n) => sum + n * ROW, 0);
  const placed: Placed[] = grid.contexts.flatMap((context, column) =>
    strata.flatMap((stratum, band) =>
      grid.arrows
        .filter((a) => a.context === context && a.stratum === stratum)
        .map((a, i) => ({ id: a.id, from: a.from, to: a.to, status: statuses.get(a.id) ?? 'unevaluated', x: LEFT + column * COLUMN, y: bandTop(band) + i * ROW })),
    ),
  );
  const width = LEFT + grid.contexts.length * COLUMN;
  const height = bandTop(strata.length) + 8;
  return (
    <div tabIndex={0} role="region" aria-label="Picture of the grid" className="overflow-x-auto">
      <svg role="img" aria-label={`${grid.arrows.length} arrows in ${grid.contexts.length} contexts; the table lists each with its status`} viewBox={`0 0 ${width} ${height}`} width={width} height={height} className="max-w-none">
        {grid.contexts.map((context, i) => (
          <text key={context} x={LEFT + i * COLUMN + COLUMN / 2 - 12} y={20} textAnchor="middle" className="fill-ink text-[13px] font-semibold">
            {context}
          </text>
        ))}
        {strata.map((stratum, i) => (
          <g key={stratum}>
            <line x1={0} x2={width} y1={bandTop(i) - 10} y2={bandTop(i) - 10} className="stroke-line" />
            <text x={4} y={bandTop(i) + 16} className="fill-ink-faint text-[12px]">
              stratum {stratum}
            </text>
          </g>
        ))}
        {placed.map((arrow) => (
          <PictureArrow key={arrow.id} arrow={arrow} />
        ))}
      </svg>
    </div>
  );
}

function PictureArrow({ arrow }: { arrow: Placed }) {
  const { className, dash, mark } = SHAPES[arrow.status];
  const [x1, x2, y] = [arrow.x + 4, arrow.x + COLUMN - 34, arrow.y + 30];
  return (
    <g className={clsx('text-[12px]', className)}>
      <title>{`${arrow.id}: ${arrow.from} to ${arrow.to}, ${arrow.status}`}</title>
      <text x={x1} y={arrow.y + 14} stroke="none" className="fill-ink font-mono text-[12px]">
        {arrow.id.length > 25 ? `${arrow.id.slice(0, 24)}…` : arrow.id}
      </text>
      <line x1={x1} x2={x2 - 8} y1={y - 6} y2={y - 6} strokeWidth={2} strokeDasharray={dash} />
      <path d={`M ${x2} ${y - 6} l -9 -5 v 10 z`} stroke="none" />
      <text x={x2 + 6} y={y - 1} stroke="none" className="text-[14px] font-bold">
        {mark}
      </text>
    </g>
  );
}
