import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chart, Table } from "../src/document";
import { csvOf, csvOfChart, markdownOf } from "../src/download";

const TABLE: Table = {
  type: "Table",
  name: "t",
  columns: [
    { title: "name" },
    { title: "language", kind: "hidden" },
    { title: "rate,\nper second", kind: "number" },
  ],
  rows: [
    { cells: ['a "|b"', "go", { text: "1.2 k", value: 1234.5, low: 1200, high: 1300 }] },
    { cells: ["c", "java", "–"] },
  ],
};

test("a column of numbers has values and bounds, any other its texts", () => {
  assert.equal(
    csvOf(TABLE.rows, TABLE),
    'name,language,"rate, per second","rate, per second, low","rate, per second, high"\n' +
      '"a ""|b""",go,1234.5,1200,1300\nc,java,,,\n',
  );
});

test("Markdown has what is shown", () => {
  assert.equal(
    markdownOf(TABLE.rows.slice(0, 1), TABLE),
    '| name | rate, per second |\n|---|--:|\n| a "\\|b" | 1.2 k |\n',
  );
});

test("a chart has the columns of all rows", () => {
  const chart = { table: [{ x: 1 }, { x: 2, y: null, z: "a" }] } as unknown as Chart;
  assert.equal(csvOfChart(chart), "x,y,z\n1,,\n2,,a\n");
});
