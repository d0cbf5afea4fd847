import type { Contender, Table, TableCell, TableRow, Versus } from "./document";
import { textOf } from "./rows";

/** Columns of metrics, of which the first is the one that ratios compare. */
const METRIC_KINDS = new Set(["main", "number"]);

/** A row for each metric of each workload that both libraries have. */
export function cellsBeside(versus: Versus, one: string, other: string): Table {
  const { columns, rows } = versus.table;
  const metrics = columns.flatMap((column, index) =>
    METRIC_KINDS.has(column.kind ?? "text") ? [index] : [],
  );
  const places = (name: string) =>
    rows.flatMap((row, index) => (textOf(row.cells[0]) === name ? [index] : []));
  const theirs = new Map(places(other).map((index) => [workloadOf(versus, index), index]));
  const found = places(one).flatMap((index): TableRow[] => {
    const opposite = theirs.get(workloadOf(versus, index));
    if (opposite === undefined) return [];
    const [ours, others] = [rows[index], rows[opposite]];
    return metrics.flatMap((metric) => {
      const pair = [ours?.cells[metric] ?? "", others?.cells[metric] ?? ""];
      if (!pair.some(textOf)) return [];
      const isMain = columns[metric]?.kind === "main";
      const ratio = isMain ? (versus.ratios[`${index} ${opposite}`] ?? "") : "";
      const title = columns[metric]?.title.replaceAll("\n", " ") ?? "";
      return [{ cells: [...placeOf(versus, ours), title, ...pair, ratio] }];
    });
  });
  return {
    type: "Table",
    name: `${one} and ${other}`,
    columns: [
      { title: "run", facet: "list" },
      { title: "workload", kind: "words" },
      { title: "metric", facet: "list" },
      { title: one, kind: "main" },
      { title: other, kind: "main" },
      { title: "ratio" },
    ],
    rows: found,
  };
}

/** The facts in which two libraries differ. */
export function differences(one: Contender, other: Contender): Table {
  const [ours, theirs] = [new Map(one.facts), new Map(other.facts)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])];
  return {
    type: "Table",
    name: `differences of ${one.name} and ${other.name}`,
    columns: [
      { title: "" },
      { title: one.name, kind: "words" },
      { title: other.name, kind: "words" },
    ],
    rows: names
      .filter((name) => ours.get(name) !== theirs.get(name))
      .map((name) => ({ cells: [name, ours.get(name) ?? "–", theirs.get(name) ?? "–"] })),
  };
}

/** Run and workload of a row: its link, and the cell with the conditions below. */
function placeOf({ table }: Versus, row: TableRow | undefined): (TableCell | string)[] {
  return ["run", "workload"].map(
    (title) => row?.cells[table.columns.findIndex((column) => column.title === title)] ?? "",
  );
}

function workloadOf(versus: Versus, index: number): string {
  return placeOf(versus, versus.table.rows[index])
    .map((cell) => (typeof cell === "string" ? cell : `${cell.text} ${cell.detail} ${cell.link}`))
    .join(" ");
}
