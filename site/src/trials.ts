import type { LinePanel, Table, TableCell, TableColumn, Trials } from "./document";

/** How wide an integer of a run's file is depends on the file. */
type Integer = number | bigint;

/** A row of a run's file: a metric or the failure of a trial, what was recorded, or a second. */
export interface StoredRow {
  record: "value" | "metric" | "second";
  trial_id: Integer;
  repetition: Integer;
  retry: Integer;
  is_counted: boolean;
  disturbance: string;
  failure: string | null;
  failure_message: string | null;
  process: string;
  metric: string | null;
  value: number | null;
  second: Integer;
  messages: Integer;
}

/** The side of the square on which lines are drawn. */
const SIDE = 100;

/** A row for each trial of a cell, in order; columns without any text are left out. */
export function trialTable({ columns, ...cell }: Trials, rows: readonly StoredRow[]): Table {
  const recorded = new Set(rows.filter((row) => row.record === "metric").map(metricOf));
  const trials = byTrial(
    rows
      .filter((row) => row.record === "value")
      // What was computed replaces what was recorded, as on all pages.
      .sort((one, other) => +recorded.has(metricOf(other)) - +recorded.has(metricOf(one)))
      .sort((one, other) => by("repetition", one, other) || by("retry", one, other)),
  );
  if (trials.size === 0) throw new Error("it has no trial of this cell");
  const seconds = rows.filter((row) => row.record === "second" && trials.has(row.trial_id));
  const panels = panelsOf(seconds);
  const titles: TableColumn[] = [
    { title: "repetition" },
    { title: "retry" },
    ...columns.map(([, title]): TableColumn => ({ title, kind: "number" })),
    { title: "messages per second\nover time" },
    { title: "counted" },
    { title: "disturbance", kind: "words" },
    { title: "failure", kind: "words" },
  ];
  const made = [...trials].map(([trial, [first, ...others]]): TableCell[] => {
    const metrics = new Map([first, ...others].map(({ metric, value }) => [metric, value]));
    const repetition = Number(first.repetition) + 1;
    return [
      { text: `repetition ${repetition}`, value: repetition },
      { text: first.retry ? `${first.retry}` : "" },
      ...columns.map(([metric, , unit, places]) => cellOf(metrics.get(metric), unit, places)),
      { text: "", panel: panels.get(trial) },
      { text: first.is_counted ? "yes" : "no" },
      { text: first.disturbance },
      { text: first.failure ?? "", kind: "failed", detail: first.failure_message ?? "" },
    ];
  });
  const isShown = titles.map((_, at) => made.some((cells) => cells[at]?.text || cells[at]?.panel));
  return {
    type: "Table",
    name: `trials of ${cell.server} → ${cell.client}, ${cell.workload}`,
    columns: titles.filter((_, at) => isShown[at]),
    rows: made.map((cells) => ({ cells: cells.filter((_, at) => isShown[at]) })),
  };
}

function metricOf({ trial_id, metric, value }: StoredRow): string {
  return `${trial_id} ${metric} ${value}`;
}

function byTrial(rows: readonly StoredRow[]): Map<Integer, [StoredRow, ...StoredRow[]]> {
  return Map.groupBy(rows, (row) => row.trial_id) as Map<Integer, [StoredRow, ...StoredRow[]]>;
}

function by(name: "repetition" | "retry" | "second", one: StoredRow, other: StoredRow): number {
  return Number(one[name]) - Number(other[name]);
}

function cellOf(value: number | null | undefined, unit: number, places: number): TableCell {
  if (value == null) return { text: "" };
  const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
  return { text: (value / unit).toLocaleString("en", digits), value: value / unit };
}

/** The messages of each second by trial: a line for each process, all on the same axes. */
function panelsOf(rows: StoredRow[]): Map<Integer, LinePanel> {
  const last = greatest(rows.map((row) => row.second));
  const highest = greatest(rows.map((row) => row.messages)) || 1;
  if (last < 1) return new Map();
  const pointOf = ({ second, messages }: StoredRow) =>
    [Number(second) / last, 1 - Number(messages) / highest].map((share) =>
      Math.round(SIDE * share),
    );
  const panels = [...byTrial(rows.sort((one, other) => by("second", one, other)))].map(
    ([trial, seconds]): [Integer, LinePanel] => {
      const processes = [...Map.groupBy(seconds, (row) => row.process)].sort();
      const lines = processes.map(([name, line]) => [name, line.map(pointOf).join(" ")] as const);
      const most = processes.map(([name, line]) => {
        return [name, greatest(line.map((row) => row.messages)).toLocaleString("en")] as const;
      });
      return [trial, { label: "messages per second", lines, most }];
    },
  );
  return new Map(panels);
}

function greatest(values: readonly Integer[]): number {
  return Math.max(0, ...values.map(Number));
}
