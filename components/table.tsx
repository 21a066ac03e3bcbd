import clsx from 'clsx';
import type { ReactNode } from 'react';

export type Column = {
  key: string;
  label: string;
  align?: 'start' | 'end';
  /** The cell that names the row: on a phone it heads the row's card. */
  lead?: boolean;
  /** Longer text: on a phone it takes the whole width of the card. */
  wide?: boolean;
};

export type TableRow = { id: string | number; cells: Record<string, ReactNode> };

/** Nothing to show: on a phone such a cell is left out of its row's card. */
const isBlank = (cell: ReactNode): boolean => cell === undefined || cell === null || cell === false || cell === '';

/**
 * A table with a caption. On a phone each row is a card of labelled values; the roles are
 * spelled out, because browsers drop them from cells that are laid out so.
 */
export function Table({ caption, columns, rows, showCaption = false }: { caption: string; columns: Column[]; rows: TableRow[]; showCaption?: boolean }) {
  return (
    <table role="table" className="data-table">
      <caption className={showCaption ? 'px-4 py-3 text-left font-medium' : 'sr-only'}>{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.key} role="columnheader" scope="col" className={clsx(column.align === 'end' && 'align-end')}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={row.id} role="row">
            {columns.map((column) => {
              const cell = row.cells[column.key];
              return (
                <td
                  key={column.key}
                  role="cell"
                  data-label={column.label}
                  className={clsx(column.align === 'end' && 'align-end', column.lead && 'lead-cell', column.wide && 'wide-cell', isBlank(cell) && 'empty-cell')}
                >
                  <div>{isBlank(cell) ? <span className="text-ink-faint">–</span> : cell}</div>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
