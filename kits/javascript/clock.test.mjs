// Tests of the clock against the kernel's uptime.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { nowNs } from "./clock.mjs";

const SECOND_NS = 1_000_000_000;

test("instants are those since the machine has started", () => {
  const before = nowNs();
  // The uptime has hundredths of a second and includes time asleep.
  const [uptimeS] = readFileSync("/proc/uptime", "utf8").split(" ");
  assert.equal(typeof before, "bigint");
  assert.ok(before > 0n);
  assert.ok(Number(before) / SECOND_NS < Number(uptimeS) + 0.02);
  assert.ok(nowNs() >= before);
});
