import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chart, Table } from "../src/document";
import { csvOf, csvOfChart } from "../src/download";

test("a column of numbers has values and bounds, any other its texts", () => {
  const table: Table = {
    type: "Table",
    name: "t",
    columns: [{ title: "name" }, { title: "rate,\nper second" }],
    rows: [
      { cells: ['a "b"', { text: "1.2 k", value: 1234.5, low: 1200, high: 1300 }] },
      { cells: ["c", "–"] },
    ],
  };
  assert.equal(
    csvOf(table),
    'name,"rate, per second","rate, per second, low","rate, per second, high"\n' +
      '"a ""b""",1234.5,1200,1300\nc,,,\n',
  );
});

test("a chart has the columns of all rows", () => {
  const chart = { table: [{ x: 1 }, { x: 2, y: null, z: "a" }] } as unknown as Chart;
  assert.equal(csvOfChart(chart), "x,y,z\n1,,\n2,,a\n");
});
