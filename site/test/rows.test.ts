import assert from "node:assert/strict";
import { test } from "node:test";
import type { TableRow } from "../src/document";
import { chosen, matching, sorted, textOf, textsOf } from "../src/rows";

const ROWS: TableRow[] = [
  { cells: ["go-b", { text: "1.2 k", value: 1200 }] },
  {
    cells: [
      { text: "rust-a", detail: "tokio 1" },
      { text: "900", value: 900 },
    ],
  },
  { cells: ["go-10", ""] },
  { cells: ["go-9", { text: "3 k", value: 3000 }] },
];

const names = (rows: readonly TableRow[]) => rows.map((row) => textOf(row.cells[0]));

test("every word is found, in texts and below them, whatever their case", () => {
  assert.deepEqual(names(matching(ROWS, "GO  k")), ["go-b", "go-9"]);
  assert.deepEqual(names(matching(ROWS, "tokio")), ["rust-a"]);
  assert.deepEqual(names(matching(ROWS, " ")), names(ROWS));
});

test("numbers are sorted by value, and a row without one is last either way", () => {
  const by = (isDescending: boolean) => names(sorted(ROWS, { column: 1, isDescending }));
  assert.deepEqual(by(false), ["rust-a", "go-b", "go-9", "go-10"]);
  assert.deepEqual(by(true), ["go-9", "go-b", "rust-a", "go-10"]);
});

test("texts are sorted by name, numbers within them by value", () => {
  const found = names(sorted(ROWS, { column: 0, isDescending: false }));
  assert.deepEqual(found, ["go-9", "go-10", "go-b", "rust-a"]);
  assert.deepEqual(names(sorted(ROWS, null)), names(ROWS));
});

test("the texts of a column stand once, in order, without empty ones", () => {
  assert.deepEqual(textsOf([...ROWS, ...ROWS], 1), ["900", "1.2 k", "3 k"]);
});

test("rows have all of the chosen texts", () => {
  const choices = new Map([
    [0, "go-9"],
    [1, "3 k"],
  ]);
  assert.deepEqual(names(chosen(ROWS, choices)), ["go-9"]);
  assert.deepEqual(chosen(ROWS, choices.set(1, "900")), []);
});
