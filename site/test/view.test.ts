import assert from "node:assert/strict";
import { test } from "node:test";
import type { Table } from "../src/document";
import { addressOf, UNCHANGED, viewIn } from "../src/view";

const TABLE: Table = {
  type: "Table",
  name: "t",
  columns: [
    { title: "library" },
    { title: "role", facet: "list" },
    { title: "messages\na second", kind: "main" },
  ],
  rows: [],
};

test("an address holds choices, words and order, and gives them back", () => {
  const view = {
    order: { column: 2, isDescending: true },
    wanted: "go 20",
    choices: new Map([[1, "server & client"]]),
  };
  const address = new URLSearchParams(addressOf(view, TABLE));
  assert.equal(`${address}`, "role=server+%26+client&sort=-messages-a-second&search=go+20");
  assert.deepEqual(viewIn(address, TABLE), view);
});

test("what a table does not have is left out", () => {
  const address = new URLSearchParams("sort=nothing&library=a&size=3");
  assert.deepEqual(viewIn(address, TABLE), UNCHANGED);
  assert.deepEqual(viewIn(new URLSearchParams(addressOf(UNCHANGED, TABLE)), TABLE), UNCHANGED);
});
