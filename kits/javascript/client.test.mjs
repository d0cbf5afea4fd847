// Tests of an instant of a client's result, and of its failure.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { Client } from "./client.mjs";

const URL_GIVEN = "ws://127.0.0.1:8008/5";

test("an instant is exact however long the machine has been up", () => {
  const lines = [];
  const settings = { connections: 1, messages: Infinity, isReplying: false };
  const clock = () => 9_007_199_254_740_993n;
  const client = new Client(settings, { clock, write: (line) => lines.push(line) });
  client.opened();
  client.closed();
  assert.match(lines[0], /"received_ns":9007199254740993}/);
});

/** Runs `code` with `runClient` imported and only `environment` set. */
function run(code, environment) {
  const url = new URL("./client.mjs", import.meta.url);
  const program = `import { runClient } from ${JSON.stringify(url.href)}; ${code}`;
  const commandLine = ["--input-type=module", "--eval", program];
  return spawnSync(process.execPath, commandLine, { env: environment, encoding: "utf8" });
}

test("a failure is one line and status 1", () => {
  for (const [reason, code] of [
    ["status 200", 'runClient((client) => client.fail(new Error("\\nstatus 200\\n<html>")));'],
    ["the handshake failed", "runClient((client) => client.closed());"],
  ]) {
    const { status, stderr } = run(code, { URL: URL_GIVEN });
    assert.equal(status, 1);
    assert.equal(stderr, `${URL_GIVEN}: ${reason}\n`);
  }
});
