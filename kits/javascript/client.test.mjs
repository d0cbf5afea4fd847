// Tests of a client's settings, of what it does after each message, and of its result.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { Client, CLOSE, CONTINUE, readClient, REPLY } from "./client.mjs";
import { SettingsError } from "./variables.mjs";

const URL_GIVEN = "ws://127.0.0.1:8008/5";
const OPENED_NS = 81_000_000_000n;

test("reads the environment", () => {
  const least = { url: URL_GIVEN, connections: 1, messages: Infinity };
  assert.deepEqual(readClient({ URL: URL_GIVEN }), { ...least, isReplying: false, deflate: false });
  const given = { MESSAGES: "5", CONNECTIONS: "3", VERB: "reply", COMPRESSION: "deflate" };
  assert.deepEqual(readClient({ URL: URL_GIVEN, ...given }), {
    url: URL_GIVEN,
    connections: 3,
    messages: 5,
    isReplying: true,
    deflate: true,
  });
});

test("names the variable that is missing or wrong", () => {
  const cases = {
    URL: [undefined, "", "127.0.0.1:8008", "http://127.0.0.1:8008/5", "ws://", "ws://h:eight/"],
    MESSAGES: ["", "0", "-1", "1_000", "1e6", "5\n", "9".repeat(16)],
    CONNECTIONS: ["0", "two"],
    VERB: ["", "echo"],
    COMPRESSION: ["gzip"],
  };
  for (const [variable, values] of Object.entries(cases)) {
    for (const value of values) {
      assert.throws(() => readClient({ URL: URL_GIVEN, [variable]: value }), {
        constructor: SettingsError,
        message: new RegExp(`^${variable} [^\n]+$`),
      });
    }
  }
});

/** A client with a manual clock. */
class Bench {
  nowNs = OPENED_NS;
  lines = [];

  constructor(settings) {
    this.client = new Client(
      { connections: 1, messages: Infinity, isReplying: false, ...settings },
      { clock: () => this.nowNs, write: (line) => this.lines.push(line) },
    );
  }
}

test("a counting client closes after the last message wanted", () => {
  const bench = new Bench({ messages: 2, connections: 2 });
  const counters = [bench.client.opened(), bench.client.opened()];
  for (const received of counters) {
    const actions = [1, 2, 3].map(() => {
      bench.nowNs += 10n;
      return received();
    });
    assert.deepEqual(actions, [CONTINUE, CLOSE, CONTINUE]);
  }
  bench.nowNs += 900n;
  bench.client.closed();
  assert.deepEqual(bench.lines, []);
  bench.client.closed();
  assert.deepEqual(bench.lines, [
    '{"event":"result","connections":2,"messages":4,' +
      '"opened_ns":81000000000,"received_ns":81000000050}\n',
  ]);
});

test("a replying client replies, and has the instant of its result", () => {
  const bench = new Bench({ messages: 1, isReplying: true });
  const received = bench.client.opened();
  assert.deepEqual([received(), received()], [REPLY, REPLY]);
  bench.nowNs += 500n;
  bench.client.closed();
  assert.deepEqual(bench.lines, [
    '{"event":"result","connections":1,"messages":2,' +
      '"opened_ns":81000000000,"received_ns":81000000500}\n',
  ]);
});

test("an instant is exact however long the machine has been up", () => {
  const bench = new Bench();
  bench.nowNs = 9_007_199_254_740_993n;
  bench.client.opened();
  bench.client.closed();
  assert.match(bench.lines[0], /"received_ns":9007199254740993}/);
});

/** Runs `code` with `runClient` imported and only `environment` set. */
function run(code, environment) {
  const url = new URL("./client.mjs", import.meta.url);
  const program = `import { runClient } from ${JSON.stringify(url.href)}; ${code}`;
  const commandLine = ["--input-type=module", "--eval", program];
  return spawnSync(process.execPath, commandLine, { env: environment, encoding: "utf8" });
}

test("a wrong environment is one line and status 2", () => {
  const { status, stderr } = run("runClient(() => {});", {});
  assert.equal(status, 2);
  assert.equal(stderr, "URL is not set\n");
});

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
