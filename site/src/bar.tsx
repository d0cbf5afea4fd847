import type { TableCell, TableColumn, TableRow } from "./document";
import { numberOf } from "./rows";

/** The largest number of each column with a unit, and 0 for the others: what bars end at. */
export function largest(columns: readonly TableColumn[], rows: readonly TableRow[]): number[] {
  return columns.map(({ unit }, index) =>
    unit ? rows.reduce((most, row) => Math.max(most, numberOf(row.cells[index]) ?? 0), 0) : 0,
  );
}

/** A number as a bar, with the bounds of its interval as far as they have a place. */
export function Bar({ cell, most }: { cell: TableCell; most: number }) {
  const { value, low, high } = cell;
  if (!most || value == null) return null;
  const share = (number: number) => `${(100 * Math.min(number, most)) / most}%`;
  return (
    <span class="bar" aria-hidden="true">
      <i style={{ width: share(value) }} />
      {low != null && high != null && (
        <b style={{ left: share(low), right: `calc(100% - ${share(high)})` }} />
      )}
    </span>
  );
}
