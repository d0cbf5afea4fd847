import type { Chart, Table, TableCell, TableRow } from "./document";
import { textOf } from "./rows";

/** Rows of a table as CSV (RFC 4180) with LF: numbers where it has them, with bounds. */
export function csvOf(rows: readonly TableRow[], table: Table): string {
  const parts = table.columns.map((column, index) => {
    const cells = rows.map((row) => objectOf(row, index));
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
    ...rows.map((row) => parts.flatMap((part, index) => part.of(objectOf(row, index)))),
  ];
  return lines.map(lineOf).join("");
}

/** Rows of a table as Markdown, without hidden columns. */
export function markdownOf(rows: readonly TableRow[], table: Table): string {
  const columns = table.columns.flatMap((column, index) =>
    column.kind === "hidden" ? [] : [index],
  );
  const lineOf = (texts: string[]) =>
    `| ${texts.map((text) => text.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |\n`;
  const head = columns.map((index) => table.columns[index]?.title ?? "");
  const isNumber = (index: number) => ["main", "number"].includes(table.columns[index]?.kind ?? "");
  const rule = columns.map((index) => (isNumber(index) ? "--:" : "---")).join("|");
  const lines = rows.map((row) => lineOf(columns.map((index) => textOf(row.cells[index]))));
  return `${lineOf(head)}|${rule}|\n${lines.join("")}`;
}

/** The data of a chart as CSV. */
export function csvOfChart(chart: Chart): string {
  const columns = [...new Set(chart.table.flatMap((row) => Object.keys(row)))];
  const lines = chart.table.map((row) => columns.map((column) => `${row[column] ?? ""}`));
  return [columns, ...lines].map(lineOf).join("");
}

export function download(name: string, content: BlobPart, type = "text/csv"): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Twice as many pixels as a picture has, for screens and slides. */
const PNG_SCALE = 2;

/** An SVG file as PNG. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = PNG_SCALE * image.width;
  canvas.height = PNG_SCALE * image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no PNG"))), "image/png"),
  );
}

function objectOf(row: TableRow, index: number): TableCell {
  const cell = row.cells[index];
  return typeof cell === "object" ? cell : { text: textOf(cell) };
}

function lineOf(fields: readonly string[]): string {
  return `${fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",")}\n`;
}
