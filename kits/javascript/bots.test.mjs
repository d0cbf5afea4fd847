// Tests of the bots, with a clock and timers set by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Bots, stamp } from "./bots.mjs";

const OPENED_NS = 81_000_000_000n;
const MS = 1_000_000n;

/** Bots whose clock stands still until it is set, each of which keeps what it sends. */
class Bench {
  nowNs = OPENED_NS;
  lines = [];
  #timers = [];

  constructor({ connections = 1, warmUpS = 0.025, drainS = 5 } = {}) {
    const settings = { url: "ws://host/echo", connections, payload: "hi", drainS, warmUpS };
    this.bots = new Bots(
      { ...settings, windowS: 0.04, everyNs: 10n * MS },
      {
        clock: () => this.nowNs,
        later: (callback, delayMs) => {
          this.#timers.push({ callback, dueNs: this.nowNs + BigInt(delayMs) * MS });
          return {};
        },
        write: (line) => this.lines.push(line),
      },
    );
  }

  open() {
    const sent = [];
    const bot = this.bots.opened(
      (event) => sent.push(event),
      () => this.bots.closed(),
    );
    return { bot, sent };
  }

  /** Lets so many milliseconds pass. */
  pass(milliseconds) {
    for (let passed = 0; passed < milliseconds; passed += 1) {
      this.nowNs += MS;
      const due = this.#timers.filter(({ dueNs }) => dueNs <= this.nowNs);
      this.#timers = this.#timers.filter(({ dueNs }) => dueNs > this.nowNs);
      for (const { callback } of due) callback();
    }
  }

  result() {
    return JSON.parse(this.lines.at(-1));
  }
}

const text = (event) => Buffer.from(event);

test("begins when the last connection is open, spread over the interval", () => {
  const bench = new Bench({ connections: 2 });
  const first = bench.open();
  bench.pass(50);
  assert.equal(first.sent.length, 0);
  const beganNs = bench.nowNs;
  const second = bench.open();
  bench.pass(100);
  // Due at 0, 10, … 60 and at 5, 15, … 55 of 65 ms.
  assert.deepEqual([first.sent.length, second.sent.length], [7, 6]);
  assert.equal(first.sent[2], stamp(2, beganNs + 20n * MS, "hi"));
  assert.equal(second.sent[0], stamp(0, beganNs + 5n * MS, "hi"));
});

test("response times are from due and of the window only", () => {
  const bench = new Bench();
  const { bot, sent } = bench.open();
  bench.pass(64);
  for (const event of sent) bot.answered(text(event), false);
  assert.deepEqual(bench.result(), {
    event: "result",
    connections: 1,
    sent: 4,
    echoed: 4,
    wrong: 0,
    window_ns: 40_000_000,
    response_time_ns: { 34000000: 1, 24000000: 1, 14000000: 1, 4000000: 1 },
  });
});

test("an answer is right once and in its order", () => {
  const bench = new Bench({ warmUpS: 0 });
  const { bot, sent } = bench.open();
  bench.pass(39);
  bot.answered(text(sent[1]), false);
  for (const wrong of [sent[1], sent[0], `${sent[2]}!`, "", "4"]) bot.answered(text(wrong), false);
  bot.answered(text(sent[2]), true);
  bot.answered(text(stamp(99, OPENED_NS + 990n * MS, "hi")), false);
  assert.equal(bot.isOver, false);
  bot.answered(text(sent[3]), false);
  assert.equal(bot.isOver, true);
  const { sent: count, echoed, wrong } = bench.result();
  assert.deepEqual([count, echoed, wrong], [4, 2, 7]);
});

test("answers that do not come are not waited for any longer", () => {
  const bench = new Bench({ warmUpS: 0, drainS: 0.1 });
  const { bot } = bench.open();
  bench.pass(139);
  assert.equal(bot.isOver, false);
  bench.pass(3);
  assert.equal(bot.isOver, true);
  assert.equal(bench.result().echoed, 0);
});
