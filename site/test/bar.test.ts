import assert from "node:assert/strict";
import { test } from "node:test";
import { largest } from "../src/bar";
import { ticked } from "../src/ticks";

test("bars end at the largest number of a column with a unit", () => {
  const columns = [{ title: "library" }, { title: "rate", unit: "per_s" }, { title: "rank" }];
  const rows = [
    { cells: ["a", { text: "2", value: 2 }, { text: "1", value: 1 }] },
    { cells: ["b", "", { text: "9", value: 9 }] },
  ];
  assert.deepEqual(largest(columns, rows), [0, 2, 0]);
});

test("two names at most are ticked, and a second tick takes one away", () => {
  assert.deepEqual(ticked([], "a"), ["a"]);
  assert.deepEqual(ticked(["a", "b"], "c"), ["b", "c"]);
  assert.deepEqual(ticked(["a", "b"], "a"), ["b"]);
});
