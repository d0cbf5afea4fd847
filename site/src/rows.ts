import type { TableCell, TableRow } from "./document";

export interface Order {
  column: number;
  isDescending: boolean;
}

export function textOf(cell: TableCell | string | undefined): string {
  return typeof cell === "string" ? cell : (cell?.text ?? "");
}

export function numberOf(cell: TableCell | string | undefined): number | null {
  return typeof cell === "object" ? (cell.value ?? null) : null;
}

/** The texts that were chosen, by the index of their column. */
export type Choices = ReadonlyMap<number, string>;

/** The texts of a column, in order; numbers by value. */
export function textsOf(rows: readonly TableRow[], column: number): string[] {
  const found = new Map(rows.map((row) => [textOf(row.cells[column]), row]));
  found.delete("");
  return sorted([...found.values()], { column, isDescending: false }).map((row) =>
    textOf(row.cells[column]),
  );
}

/** The rows with all of the chosen texts. */
export function chosen(rows: readonly TableRow[], choices: Choices): readonly TableRow[] {
  const wanted = [...choices];
  return rows.filter((row) => wanted.every(([column, text]) => textOf(row.cells[column]) === text));
}

/** The rows of which a cell contains each of these words. */
export function matching(rows: readonly TableRow[], wanted: string): readonly TableRow[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = row.cells
      .map((cell) => (typeof cell === "string" ? cell : `${cell.text} ${cell.detail ?? ""}`))
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The rows by a column: numbers by value, texts by name; what is empty stands last. */
export function sorted(rows: readonly TableRow[], order: Order | null): readonly TableRow[] {
  if (!order) return rows;
  const { column, isDescending } = order;
  const isNumber = rows.some((row) => numberOf(row.cells[column]) !== null);
  const sign = isDescending ? -1 : 1;
  const isEmpty = (row: TableRow) =>
    isNumber ? numberOf(row.cells[column]) === null : !textOf(row.cells[column]);
  return [...rows].sort((one, other) => {
    if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(one)) - Number(isEmpty(other));
    if (isNumber)
      return sign * ((numberOf(one.cells[column]) ?? 0) - (numberOf(other.cells[column]) ?? 0));
    return sign * COLLATOR.compare(textOf(one.cells[column]), textOf(other.cells[column]));
  });
}

const COLLATOR = new Intl.Collator("en", { numeric: true });
