// Tests of a feed, with a manual clock, of its subscribers and of its settings.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { FeedFormat } from "./feed.mjs";
import { Feed, Subscribers } from "./feeding.mjs";
import { readFeedSettings, stocksOfMessage } from "./settings.mjs";
import { SettingsError } from "../variables.mjs";

const START_NS = 81_000_000_000n;
const SECOND_NS = 1_000_000_000n;
const EVERY_NS = 400_000_000n;
const folder = mkdtempSync(join(tmpdir(), "kit-"));
after(() => rmSync(folder, { recursive: true }));
const STOCKS_FILE = join(folder, "stocks.csv");
writeFileSync(
  STOCKS_FILE,
  "date,open,high,low,close,volume\n" +
    "2026-01-02,1.00,2.50,0.50,2.00,100\n2026-01-03,2.00,2.50,1.50,2.25,200\n",
);

function settingsOf(kind, settings) {
  const none = { stocks: 1, stocksFile: null, subscribers: 1, everyNs: null, durationNs: null };
  return { format: new FeedFormat(kind), ...none, messages: Infinity, ...settings };
}

/** A feed with a manual clock. */
class Bench {
  nowNs = START_NS;
  lines = [];
  subscribed = new Set(["a", "b"]);

  constructor(kind, settings) {
    this.feed = new Feed(settingsOf(kind, settings), this.subscribed, {
      clock: () => this.nowNs,
      write: (line) => this.lines.push(JSON.parse(line)),
    });
  }
}

test("messages are due by their number", () => {
  const bench = new Bench("clock", { everyNs: EVERY_NS, messages: 3 });
  assert.equal(bench.feed.waitNs(), 0n);
  assert.equal(bench.feed.nextMessage(), `${START_NS}`);
  assert.equal(bench.feed.waitNs(), EVERY_NS);
  // A late message carries the time at which it was due, and does not delay the next ones.
  bench.nowNs += EVERY_NS + 7n;
  assert.equal(bench.feed.waitNs(), 0n);
  assert.equal(bench.feed.nextMessage(), `${START_NS + EVERY_NS}`);
  assert.equal(bench.feed.waitNs(), EVERY_NS - 7n);
  bench.nowNs = START_NS + 2n * EVERY_NS;
  bench.feed.nextMessage();
  // The last message has an interval like the others; the end of the second comes first.
  assert.equal(bench.feed.waitNs(), EVERY_NS / 2n);
  bench.nowNs += EVERY_NS;
  assert.equal(bench.feed.waitNs(), null);
});

test("a message due at the end is not sent, and a continuous feed ends by time", () => {
  const timed = new Bench("sequence", { everyNs: EVERY_NS, durationNs: 2n * EVERY_NS });
  for (const number of [0n, 1n]) {
    timed.nowNs = START_NS + number * EVERY_NS;
    assert.equal(timed.feed.waitNs(), 0n);
    timed.feed.nextMessage();
  }
  assert.equal(timed.feed.waitNs(), EVERY_NS);
  timed.nowNs += EVERY_NS;
  assert.equal(timed.feed.waitNs(), null);
  const continuous = new Bench("clock", { durationNs: 10n });
  continuous.nowNs += 9n;
  assert.equal(continuous.feed.waitNs(), 0n);
  continuous.nowNs += 1n;
  assert.equal(continuous.feed.waitNs(), null);
});

test("each second counts the sent messages, and a feed without subscribers ends", () => {
  const bench = new Bench("hello", { everyNs: 700_000_000n, messages: 9 });
  for (const number of [0n, 1n, 2n]) {
    bench.nowNs = START_NS + number * 700_000_000n;
    bench.feed.waitNs();
    bench.feed.nextMessage();
  }
  bench.subscribed.clear();
  bench.nowNs = START_NS + 2n * SECOND_NS;
  assert.equal(bench.feed.waitNs(), null);
  bench.feed.finish();
  assert.deepEqual(bench.lines, [
    { event: "second", second: 0, messages: 4, bytes: 44 },
    { event: "second", second: 1, messages: 2, bytes: 22 },
    { event: "result", messages: 6, bytes: 66 },
  ]);
});

test("a feed starts when all subscribers have joined, also for the next group", async () => {
  const published = [];
  let ended;
  const settings = settingsOf("sequence", { subscribers: 2, messages: 2 });
  const subscribers = new Subscribers(settings, async (feed) => {
    for await (const message of feed) published.push([message, ...feed.subscribed]);
    ended();
  });
  for (const subscribed of ["ab", "cd"]) {
    const isOver = new Promise((resolve) => (ended = resolve));
    subscribers.join(subscribed[0]);
    subscribers.join("early")();
    subscribers.join(subscribed[1]);
    await isOver;
  }
  assert.deepEqual(published, [
    ["0", "a", "b"],
    ["1", "a", "b"],
    ["0", "c", "d"],
    ["1", "c", "d"],
  ]);
});

test("reads the settings of a feed", () => {
  assert.equal(readFeedSettings({}), null);
  const feed = { FEED: "stocks", STOCKS: "3", STOCKS_FILE, EVERY_MS: "0.5", SECONDS: "1.5" };
  assert.deepEqual(readFeedSettings(feed), {
    format: new FeedFormat("stocks"),
    stocks: 3,
    stocksFile: STOCKS_FILE,
    subscribers: 1,
    everyNs: 500_000n,
    durationNs: 1_500_000_000n,
    messages: Infinity,
  });
});

test("a message has the records of the file from its number on", () => {
  const settings = { stocks: 3, stocksFile: STOCKS_FILE };
  const volumes = stocksOfMessage(settings, 1).map(({ volume }) => volume);
  assert.deepEqual(volumes, [200, 100, 200]);
  const [first] = stocksOfMessage(settings, 0);
  assert.equal(
    new FeedFormat("stocks").encode(7, 8n, [first]),
    '{"sequence":7,"time_ns":8,' +
      '"stocks":[{"open":1.00,"high":2.50,"low":0.50,"close":2.00,"volume":100}]}',
  );
  const binary = new FeedFormat("stocks", "binary").encode(7, 8n, [first]);
  assert.deepEqual([binary.length, binary.readUInt32BE(16), binary.readDoubleBE(28)], [60, 1, 2.5]);
});

test("names the variable of a feed that is missing or wrong", () => {
  const cases = [
    ["FEED", { FEED: "weather", MESSAGES: "1" }],
    ["ENCODING", { FEED: "hello", MESSAGES: "1", ENCODING: "xml" }],
    ["MESSAGES", { FEED: "hello" }],
    ["MESSAGES", { FEED: "hello", MESSAGES: "1", SECONDS: "1" }],
    ["SECONDS", { FEED: "hello", SECONDS: "0" }],
    ["EVERY_MS", { FEED: "hello", MESSAGES: "1", EVERY_MS: "0" }],
    ["SUBSCRIBERS", { FEED: "hello", MESSAGES: "1", SUBSCRIBERS: "0" }],
    ["STOCKS", { FEED: "hello", MESSAGES: "1", STOCKS: "1000001" }],
    ["STOCKS_FILE", { FEED: "stocks", MESSAGES: "1" }],
    ["STOCKS_FILE", { FEED: "stocks", MESSAGES: "1", STOCKS_FILE: "/none.csv" }],
  ];
  for (const [variable, given] of cases) {
    assert.throws(
      () => readFeedSettings(given),
      (error) => {
        assert.ok(error instanceof SettingsError);
        assert.ok(error.message.startsWith(`${variable} `), error.message);
        assert.ok(!error.message.includes("\n"), error.message);
        return true;
      },
    );
  }
});
