// Tests of a feed, with a manual clock, and of its subscribers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FeedFormat } from "./feed.mjs";
import { Feed, Subscribers } from "./feeding.mjs";

const START_NS = 81_000_000_000n;
const SECOND_NS = 1_000_000_000n;
const EVERY_NS = 400_000_000n;

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

test("a subscriber that leaves before the feed is not counted", async () => {
  const settings = settingsOf("sequence", { subscribers: 3, messages: 1 });
  const subscribed = await new Promise((resolve) => {
    const subscribers = new Subscribers(settings, (feed) => resolve(feed.subscribed));
    subscribers.join("a");
    subscribers.join("early")();
    subscribers.join("b");
    subscribers.join("c");
  });
  assert.deepEqual(subscribed, ["a", "b", "c"]);
});
