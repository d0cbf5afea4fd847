// Tests of the echo counts and the result line, with a manual clock.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { Exchanger } from "./exchanger.mjs";

const OPENED_MS = 81_000;
const WINDOW_AT_MS = OPENED_MS + 500;
const WINDOW_MS = 2_000;
const PAYLOAD = Buffer.from("grüezi");

/** An exchanger with a manual clock. */
class Bench {
  nowMs = OPENED_MS;
  lines = [];

  constructor({ connections = 1 } = {}) {
    const payload = PAYLOAD.toString();
    this.exchanger = new Exchanger(
      { url: "ws://host/echo", connections, payload, warmUpS: 0.5, windowS: 2 },
      { clockMs: () => this.nowMs, write: (line) => this.lines.push(line) },
    );
  }

  answerAt(nowMs, answer = PAYLOAD, isBinary = false) {
    this.nowMs = nowMs;
    return this.exchanger.answered(answer, isBinary);
  }

  counts() {
    this.exchanger.closed();
    const { echoed, wrong } = JSON.parse(this.lines.at(-1));
    return { echoed, wrong };
  }
}

test("counts what comes within the window and ends after it", () => {
  const cases = [
    [OPENED_MS, 0, true],
    [WINDOW_AT_MS - 0.001, 0, true],
    [WINDOW_AT_MS, 1, true],
    [WINDOW_AT_MS + WINDOW_MS - 0.001, 1, true],
    [WINDOW_AT_MS + WINDOW_MS, 0, false],
  ];
  for (const [nowMs, echoed, isOngoing] of cases) {
    const bench = new Bench();
    bench.exchanger.opened();
    assert.equal(bench.answerAt(nowMs), isOngoing);
    assert.deepEqual(bench.counts(), { echoed, wrong: 0 });
  }
});

test("a text may be a string", () => {
  const bench = new Bench();
  bench.exchanger.opened();
  bench.answerAt(WINDOW_AT_MS, PAYLOAD.toString());
  bench.answerAt(WINDOW_AT_MS, "gruezi");
  assert.deepEqual(bench.counts(), { echoed: 1, wrong: 1 });
});

test("another content or type is wrong and not echoed", () => {
  const cases = [
    [Buffer.from(""), false],
    [Buffer.from("grüezj"), false],
    [Buffer.from("grüezi "), false],
    [PAYLOAD, true],
  ];
  for (const [answer, isBinary] of cases) {
    const bench = new Bench();
    bench.exchanger.opened();
    assert.equal(bench.answerAt(WINDOW_AT_MS, answer, isBinary), true);
    assert.deepEqual(bench.counts(), { echoed: 0, wrong: 1 });
  }
});

test("a wrong answer is counted whenever it comes", () => {
  const bench = new Bench();
  bench.exchanger.opened();
  bench.answerAt(OPENED_MS, Buffer.from("other"));
  assert.equal(bench.answerAt(WINDOW_AT_MS + WINDOW_MS, Buffer.from("other")), false);
  assert.deepEqual(bench.counts(), { echoed: 0, wrong: 2 });
});

test("the warm-up begins when the last connection is open", () => {
  const bench = new Bench({ connections: 2 });
  bench.exchanger.opened();
  const lateMs = OPENED_MS + 10 * WINDOW_MS;
  assert.equal(bench.answerAt(lateMs), true);
  bench.exchanger.opened();
  assert.equal(bench.answerAt(lateMs + 499), true);
  assert.equal(bench.answerAt(lateMs + 500), true);
  bench.exchanger.closed();
  assert.deepEqual(bench.counts(), { echoed: 1, wrong: 0 });
});

test("the result is the line of the contract, printed when all are closed", () => {
  const bench = new Bench({ connections: 2 });
  for (let connection = 0; connection < 2; connection += 1) bench.exchanger.opened();
  bench.exchanger.closed();
  assert.deepEqual(bench.lines, []);
  bench.exchanger.closed();
  assert.deepEqual(bench.lines, [
    '{"event":"result","connections":2,"echoed":0,"wrong":0,"window_ns":2000000000}\n',
  ]);
});

/** Runs `code` with `Exchanger` imported and only `environment` set. */
function run(code, environment) {
  const url = new URL("./exchanger.mjs", import.meta.url);
  const program = `import { Exchanger } from ${JSON.stringify(url.href)}; ${code}`;
  const commandLine = ["--input-type=module", "--eval", program];
  return spawnSync(process.execPath, commandLine, { env: environment, encoding: "utf8" });
}

test("exits with status 2 and one line when a variable is missing", () => {
  const { status, stderr } = run("Exchanger.fromEnvironment();", { URL: "ws://host/echo" });
  assert.equal(status, 2);
  assert.equal(stderr, "WINDOW_S is missing: set it in the environment\n");
});

test("a failure is one line and status 1", () => {
  const code = 'Exchanger.fromEnvironment().fail(new Error("\\nstatus 200\\n<html>"));';
  const { status, stderr } = run(code, { URL: "ws://host/echo", WINDOW_S: "1" });
  assert.equal(status, 1);
  assert.equal(stderr, "cannot exchange with ws://host/echo: status 200\n");
});
