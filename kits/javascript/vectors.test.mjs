// Tests with the test vectors that all kits share.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { FeedFormat, WrongMessageError } from "./feed.mjs";
import { Latencies, roundLatency } from "./latency.mjs";
import { Sequence } from "./sequence.mjs";
import { stocksOfMessage } from "./serving.mjs";

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const vectors = JSON.parse(readFileSync(pathOf("vectors.json"), "utf8"));

/** Returns the message of a test vector, and whether it is binary. */
function messageOf({ text, hex }) {
  return text === undefined ? [Buffer.from(hex, "hex"), true] : [text, false];
}

test("a message is encoded and decoded", () => {
  for (const given of vectors.feeds) {
    const feed = new FeedFormat(given.kind, given.encoding);
    const [message, isBinary] = messageOf(given);
    const number = Number(given.number);
    const timeNs = BigInt(given.time_ns);
    const stocksFile = given.kind === "stocks" ? pathOf("stocks.csv") : null;
    const stocks = stocksOfMessage({ stocks: given.stocks, stocksFile }, number);
    assert.deepEqual(feed.encode(number, timeNs, stocks), message);
    // A library may deliver a text as a string or as a Buffer.
    for (const form of [message, Buffer.from(message)]) {
      const heading = feed.decode(form, isBinary);
      assert.equal(heading.number, feed.hasNumber ? number : undefined);
      assert.equal(heading.timeNs, feed.hasInstant ? timeNs : undefined);
    }
  }
});

test("a message that is not of the feed is wrong", () => {
  for (const given of vectors.wrong) {
    const feed = new FeedFormat(given.kind, given.encoding);
    const [message, isBinary] = messageOf(given);
    for (const form of [message, Buffer.from(message)]) {
      assert.throws(() => feed.decode(form, isBinary), WrongMessageError, JSON.stringify(given));
    }
  }
});

test("numbers get their verdicts", () => {
  for (const { name, numbers, verdicts, counts } of vectors.sequences) {
    const sequence = new Sequence();
    const given = numbers.map((number) => sequence.check(number));
    assert.deepEqual(given, verdicts, name);
    assert.deepEqual(sequence.counts, counts, name);
  }
});

test("latencies are rounded", () => {
  for (const [given, rounded] of vectors.roundings) {
    assert.equal(roundLatency(BigInt(given)), BigInt(rounded));
    const latencies = new Latencies();
    latencies.record(BigInt(given));
    assert.equal(JSON.stringify(latencies), `{"${rounded}":1}`);
  }
});
