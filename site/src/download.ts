import type { Chart, Table, TableCell, TableRow } from "./document";
import { textOf } from "./rows";

/** A table as CSV (RFC 4180) with LF: numbers where it has them, with their bounds. */
export function csvOf(table: Table): string {
  const parts = table.columns.map((column, index) => {
    const cells = table.rows.map((row) => objectOf(row, index));
    const title = column.title.replaceAll("\n", " ");
    const names = (["value", "low", "high"] as const).filter((name) =>
      cells.some((cell) => cell[name] != null),
    );
    if (names.length === 0) return { titles: [title], of: (cell: TableCell) => [cell.text] };
    return {
      titles: names.map((name) => (name === "value" ? title : `${title}, ${name}`)),
      of: (cell: TableCell) => names.map((name) => `${cell[name] ?? ""}`),
    };
  });
  const lines = [
    parts.flatMap((part) => part.titles),
    ...table.rows.map((row) => parts.flatMap((part, index) => part.of(objectOf(row, index)))),
  ];
  return lines.map(lineOf).join("");
}

/** The data of a chart as CSV. */
export function csvOfChart(chart: Chart): string {
  const columns = [...new Set(chart.table.flatMap((row) => Object.keys(row)))];
  const lines = chart.table.map((row) => columns.map((column) => `${row[column] ?? ""}`));
  return [columns, ...lines].map(lineOf).join("");
}

export function download(name: string, text: string, type = "text/csv"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function objectOf(row: TableRow, index: number): TableCell {
  const cell = row.cells[index];
  return typeof cell === "object" ? cell : { text: textOf(cell) };
}

function lineOf(fields: readonly string[]): string {
  return `${fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",")}\n`;
}
