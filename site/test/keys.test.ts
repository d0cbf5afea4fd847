import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, Table, TableRow } from "../src/document";
import { keysOf, keysOfRows } from "../src/keys";

const columns: Table["columns"] = [{ title: "rank", kind: "rank" }, { title: "name" }];

function keysOfNames(...names: string[]): string[] {
  const rows = names.map((name, index): TableRow => ({ cells: [`${index + 1}`, name] }));
  return [...keysOfRows({ type: "Table", name: "ranking", columns, rows }).values()];
}

test("a block keeps its key when others come before it, and when a number changes", () => {
  const folded = (summary: string): Block => ({ type: "Folded", summary, blocks: [] });
  const before = keysOf([folded("CPU (9 cells)")]);
  const after = keysOf([folded("Memory (1 cell)"), folded("CPU (10 cells)"), folded("CPU (1)")]);
  assert.deepEqual(after.slice(1, 2), before);
  assert.equal(new Set(after).size, 3);
});

test("a row keeps its key with another rank; equal rows have two", () => {
  assert.deepEqual(keysOfNames("b", "a", "a").slice(0, 2), keysOfNames("a", "b").toReversed());
  assert.equal(new Set(keysOfNames("b", "a", "a")).size, 3);
});
