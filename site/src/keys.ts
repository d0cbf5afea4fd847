import type { Block, Folded, Paragraph, Table, TableRow } from "./document";
import { textOf } from "./rows";

/** Keys of blocks that stay theirs when a newer page has other numbers, or more blocks. */
export function keysOf(blocks: readonly (Block | Paragraph | Folded)[]): string[] {
  return numbered(blocks.map((block) => `${block.type} ${nameOf(block)}`));
}

/** The key of each row: what its texts say, without its metrics. */
export function keysOfRows(table: Table): ReadonlyMap<TableRow, string> {
  const names = table.columns.flatMap(({ kind }, index) => (kind ? [] : [index]));
  const texts = table.rows.map((row) => names.map((index) => textOf(row.cells[index])).join("\t"));
  const keys = numbered(texts);
  return new Map(table.rows.map((row, index) => [row, keys[index] ?? ""]));
}

function nameOf(block: Block): string {
  if (block.type === "Table" || block.type === "Figure") return block.name;
  return block.type === "Folded" ? block.summary.replace(/\d.*/s, "") : "";
}

/** These names, each with the number of equal ones before it. */
function numbered(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return `${name} ${count}`;
  });
}
