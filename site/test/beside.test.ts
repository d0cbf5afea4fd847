import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsBeside, differences } from "../src/beside";
import type { Contender, TableRow, Versus } from "../src/document";
import { pointsOf, written } from "../src/scatter";

const row = (name: string, workload: string, rate: number): TableRow => ({
  cells: [name, "race", workload, { text: `${rate} k`, value: rate, low: rate - 1 }, "5 ms"],
});
const VERSUS: Versus = {
  type: "Versus",
  table: {
    type: "Table",
    name: "t",
    columns: [
      { title: "library" },
      { title: "run" },
      { title: "workload" },
      { title: "rate", kind: "main" },
      { title: "p99", kind: "number" },
    ],
    rows: [row("a", "echo", 8), row("b", "echo", 4), row("a", "push", 1), row("c", "push", 3)],
  },
  ratios: { "0 1": "2.00× (1.90–2.10)", "1 0": "0.50×" },
  contenders: [],
};

test("each metric of a workload that both have is a row, with the ratio of the first", () => {
  const table = cellsBeside(VERSUS, "a", "b");
  const texts = table.rows.map((each) =>
    each.cells.map((cell) => (typeof cell === "string" ? cell : cell.text)),
  );
  assert.deepEqual(texts, [
    ["race", "echo", "rate", "8 k", "4 k", "2.00× (1.90–2.10)"],
    ["race", "echo", "p99", "5 ms", "5 ms", ""],
  ]);
  assert.equal(cellsBeside(VERSUS, "b", "c").rows.length, 0);
});

test("only what differs is shown of two libraries", () => {
  const contender = (name: string, ...facts: [string, string][]): Contender => ({ name, facts });
  const table = differences(
    contender("a", ["buffer", "4 KiB"], ["nodelay", "on"]),
    contender("b", ["buffer", "8 KiB"], ["nodelay", "on"], ["limit", "none"]),
  );
  assert.deepEqual(
    table.rows.map((each) => each.cells),
    [
      ["buffer", "4 KiB", "8 KiB"],
      ["limit", "–", "none"],
    ],
  );
});

test("a point needs both values, and has the bounds that are known", () => {
  const [point, ...others] = pointsOf(VERSUS.table.rows.slice(0, 1), 3, 3);
  assert.deepEqual([point?.x, point?.xLow, point?.xHigh, others.length], [8, 7, 8, 0]);
  assert.deepEqual(pointsOf(VERSUS.table.rows, 3, 4), []);
});

test("a value of an axis has a prefix and a unit", () => {
  const shown = [written(1.5e6, "per_s"), written(3 * 2 ** 20, "bytes"), written(0.04, "ms")];
  assert.deepEqual(shown, ["1.5 M/s", "3 MiB", "40 µs"]);
});
