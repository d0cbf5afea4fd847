// Tests of the counts and the printed lines, with a manual clock and timer.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { FeedFormat } from "./feed.mjs";
import { Receiver, toAutorouteLine, toJsonLine } from "./receiver.mjs";

const OPENED_NS = 81_000_000_000n;
const SECOND_NS = 1_000_000_000n;

/** A receiver with a manual clock and a timer that the test fires. */
class Bench {
  nowNs = OPENED_NS;
  lines = [];
  timers = [];

  constructor({ messages, connections = 1, feed = null, toLine = toJsonLine }) {
    this.receiver = new Receiver(
      { url: "ws://host/1", messages, connections, feed },
      {
        toLine,
        clock: () => this.nowNs,
        later: (callback, delayMs) => this.timers.push({ callback, delayMs }),
        write: (line) => this.lines.push(line),
      },
    );
  }

  events() {
    return this.lines.map((line) => JSON.parse(line));
  }

  seconds() {
    return this.events()
      .filter(({ event }) => event === "second")
      .map(({ second, messages }) => [second, messages]);
  }

  names() {
    return this.events().map(({ event }) => event);
  }
}

test("counts the payload bytes of a feed, whatever its messages are", () => {
  const cases = [
    ["", 0],
    ["hello world", 11],
    ["grüezi", 7],
    ["日本語", 9],
    [Buffer.from("hello"), 5],
    [Buffer.from("grüezi"), 7],
  ];
  for (const [message, bytes] of cases) {
    const feed = new FeedFormat("hello", "json");
    const bench = new Bench({ messages: 1, feed });
    assert.equal(bench.receiver.opened()(message, false), true);
    bench.receiver.finish();
    assert.equal(bench.events().at(-1).messages, 1);
    assert.equal(bench.events().at(-1).bytes, bytes);
  }
});

test("reports when the last expected message has arrived", () => {
  const received = new Bench({ messages: 3 }).receiver.opened();
  assert.deepEqual([received("a"), received("a"), received("a")], [false, false, true]);
});

test("does not count messages that arrive while the connection closes", () => {
  const bench = new Bench({ messages: 2 });
  const received = bench.receiver.opened();
  const answers = [1, 2, 3, 4].map(() => {
    bench.nowNs += 10n;
    return received("abc");
  });
  bench.receiver.finish();
  const result = bench.events().at(-1);
  assert.deepEqual(answers, [false, true, true, true]);
  assert.equal(result.messages, 2);
  assert.equal(result.received_ns, Number(OPENED_NS + 20n));
});

test("the result is the line of the contract", () => {
  const bench = new Bench({ messages: 2 });
  const received = bench.receiver.opened();
  bench.nowNs += 400_000_000n;
  received("hello");
  bench.nowNs += 83n;
  received("world");
  bench.nowNs += 900_000_000n;
  bench.receiver.finish();
  assert.deepEqual(bench.lines, [
    '{"event":"result","connections":1,"messages":2,' +
      '"opened_ns":81000000000,"received_ns":81400000083}\n',
  ]);
});

test("a time is exact however long the machine has been up", () => {
  const line = toJsonLine({ event: "result", opened_ns: 9_007_199_254_740_993n });
  assert.equal(line, '{"event":"result","opened_ns":9007199254740993}');
});

test("a second is printed when it has ended and not before", () => {
  const bench = new Bench({ messages: 10 });
  const received = bench.receiver.opened();
  received("hello");
  bench.nowNs = OPENED_NS + SECOND_NS - 1n;
  assert.equal(bench.receiver.tick(), 1n);
  assert.deepEqual(bench.lines, []);
  bench.nowNs += 1n;
  assert.equal(bench.receiver.tick(), SECOND_NS);
  assert.deepEqual(bench.lines, ['{"event":"second","second":0,"messages":1}\n']);
});

test("a second without a message is printed as well", () => {
  const bench = new Bench({ messages: 10 });
  const received = bench.receiver.opened();
  for (const [second, messages] of [2, 0, 1].entries()) {
    for (let message = 0; message < messages; message += 1) received("hello");
    bench.nowNs = OPENED_NS + BigInt(second + 1) * SECOND_NS;
    bench.receiver.tick();
  }
  assert.deepEqual(bench.seconds(), [
    [0, 2],
    [1, 0],
    [2, 1],
  ]);
});

test("a late timer does not move the seconds after it", () => {
  const bench = new Bench({ messages: 10 });
  bench.receiver.opened();
  bench.nowNs = OPENED_NS + SECOND_NS + 300_000_000n;
  bench.timers.pop().callback();
  assert.deepEqual(bench.seconds(), [[0, 0]]);
  assert.equal(bench.timers.pop().delayMs, 701);
});

test("after a stall the missed seconds are printed", () => {
  const bench = new Bench({ messages: 10 });
  const received = bench.receiver.opened();
  received("hello");
  bench.nowNs = OPENED_NS + 3n * SECOND_NS + 1n;
  bench.receiver.tick();
  assert.deepEqual(bench.seconds(), [
    [0, 1],
    [1, 0],
    [2, 0],
  ]);
});

test("the result includes messages after the last printed second", () => {
  const bench = new Bench({ messages: 5 });
  const received = bench.receiver.opened();
  received("hello");
  received("hello");
  bench.nowNs = OPENED_NS + SECOND_NS;
  bench.receiver.tick();
  for (let message = 0; message < 3; message += 1) received("hello");
  bench.receiver.finish();
  assert.deepEqual(bench.seconds(), [[0, 2]]);
  assert.equal(bench.events().at(-1).messages, 5);
});

test("finish prints the seconds that no timer has printed", () => {
  const bench = new Bench({ messages: 1 });
  const received = bench.receiver.opened();
  bench.nowNs = OPENED_NS + 2n * SECOND_NS + 5n;
  received("hello");
  bench.receiver.finish();
  assert.deepEqual(bench.names(), ["second", "second", "result"]);
});

test("no second is printed after the last message", () => {
  const bench = new Bench({ messages: 1 });
  const received = bench.receiver.opened();
  bench.nowNs = OPENED_NS + SECOND_NS / 2n;
  received("hello");
  bench.nowNs = OPENED_NS + 5n * SECOND_NS;
  assert.equal(bench.receiver.tick(), null);
  bench.receiver.finish();
  assert.deepEqual(bench.names(), ["result"]);
});

test("nothing is printed after the result", () => {
  const bench = new Bench({ messages: 2 });
  bench.receiver.opened();
  bench.receiver.finish();
  bench.nowNs = OPENED_NS + 5n * SECOND_NS;
  bench.timers.pop().callback();
  assert.deepEqual(bench.names(), ["result"]);
  assert.deepEqual(bench.timers, []);
});

test("connections are added up and the first opening counts", () => {
  const bench = new Bench({ messages: 2, connections: 3 });
  const counts = [1, 2, 3].map(() => {
    const received = bench.receiver.opened();
    bench.nowNs += 1_000n;
    return received;
  });
  for (const received of counts) received("hello");
  bench.nowNs = OPENED_NS + SECOND_NS;
  bench.receiver.tick();
  for (const received of counts.reverse()) {
    bench.nowNs += 7n;
    received("worlds");
  }
  bench.nowNs += 1_000n;
  bench.receiver.finish();
  assert.deepEqual(bench.seconds(), [[0, 3]]);
  assert.deepEqual(bench.events().at(-1), {
    event: "result",
    connections: 3,
    messages: 6,
    opened_ns: Number(OPENED_NS),
    received_ns: Number(OPENED_NS + SECOND_NS + 21n),
  });
});

test("an early close is a result with what was counted", () => {
  const bench = new Bench({ messages: 3 });
  const received = bench.receiver.opened();
  received("hello");
  bench.nowNs += 500n;
  bench.receiver.finish();
  const result = bench.events().at(-1);
  assert.equal(result.messages, 1);
  assert.equal(result.received_ns, Number(OPENED_NS + 500n));
});

test("autoroute milliseconds are rounded to the nearest", () => {
  const cases = [
    [2_830_000_000n, 2830],
    [2_830_499_999n, 2830],
    [2_830_500_000n, 2831],
    [499_999n, 0],
    [500_000n, 1],
  ];
  for (const [durationNs, milliseconds] of cases) {
    const toLine = (event) => toAutorouteLine("javascript-example", event);
    const bench = new Bench({ messages: 1, toLine });
    const received = bench.receiver.opened();
    bench.nowNs += durationNs;
    received("hello");
    bench.receiver.finish();
    assert.equal(bench.lines.at(-1), `AUTOROUTE javascript-example :: ${milliseconds} ms\n`);
  }
});

test("autoroute seconds are the original line", () => {
  const toLine = (event) => toAutorouteLine("javascript-example", event);
  const bench = new Bench({ messages: 9, toLine });
  bench.receiver.opened()("hello");
  bench.nowNs += SECOND_NS;
  bench.receiver.tick();
  assert.deepEqual(bench.lines, ["messages received per second: 1\n"]);
});

/** Runs `code` with `Receiver` imported and only `environment` set. */
function run(code, environment) {
  const url = new URL("./receiver.mjs", import.meta.url);
  const program = `import { Receiver } from ${JSON.stringify(url.href)}; ${code}`;
  const commandLine = ["--input-type=module", "--eval", program, "unused.mjs"];
  return spawnSync(process.execPath, commandLine, { env: environment, encoding: "utf8" });
}

test("exits with status 2 and one line when a variable is missing", () => {
  const { status, stderr } = run("Receiver.fromEnvironment();", {});
  assert.equal(status, 2);
  assert.equal(stderr, "URL is missing: set it in the environment\n");
});

test("a failure is one line and status 1", () => {
  const code = 'Receiver.fromEnvironment().fail(new Error("\\nstatus 200\\n<html>"));';
  const { status, stderr } = run(code, { URL: "ws://host/1", MESSAGES: "1" });
  assert.equal(status, 1);
  assert.equal(stderr, "cannot receive from ws://host/1: status 200\n");
});
