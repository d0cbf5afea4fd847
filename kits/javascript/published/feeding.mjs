// Sends a feed to subscribers on schedule: docs/published.md.

import { setImmediate, setTimeout } from "node:timers/promises";

import { nowNs } from "../clock.mjs";
import { stocksOfMessage } from "./settings.mjs";

const SECOND_NS = 1_000_000_000n;
const MILLISECOND_NS = 1_000_000n;
// Number of messages after which the event loop runs: a library's send may complete synchronously.
const TURN_MESSAGES = 64;

/**
 * The subscribers and their feed; serves one group of subscribers after the other.
 *
 * `publish` is called with the feed once all have joined. It must send each message to the
 * subscribers and close them at the end.
 */
export class Subscribers {
  #settings;
  #publish;
  #subscribed = new Set();
  #feed = null;

  constructor(settings, publish) {
    this.#settings = settings;
    this.#publish = publish;
  }

  /** Adds a subscriber. Returns the function to call when it is gone. */
  join(subscriber) {
    if (this.#feed?.isOver) {
      this.#feed = null;
      this.#subscribed = new Set();
    }
    const subscribed = this.#subscribed;
    subscribed.add(subscriber);
    if (!this.#feed && subscribed.size === this.#settings.subscribers) {
      this.#feed = new Feed(this.#settings, subscribed);
      // An exception ends the program: a feed that has stopped must not look like a slow one.
      this.#publish(this.#feed);
    }
    return () => subscribed.delete(subscriber);
  }
}

/**
 * One feed for one group of subscribers, from its first message to its last.
 *
 * Iterate over it with `for await` and send each message to all subscribers. The iteration waits
 * until each message is due.
 */
export class Feed {
  isOver = false;
  #settings;
  #subscribed;
  #clock;
  #write;
  #startNs;
  #number = 0;
  #messages = 0;
  #bytes = 0;
  // State at the last printed line.
  #seconds = 0;
  #printedMessages = 0;
  #printedBytes = 0;

  constructor(
    settings,
    subscribed,
    { clock = nowNs, write = (line) => process.stdout.write(line) } = {},
  ) {
    this.#settings = settings;
    this.#subscribed = subscribed;
    this.#clock = clock;
    this.#write = write;
    this.#startNs = clock();
  }

  /** Whether the feed has no schedule, so that the slowest subscriber limits the send rate. */
  get isContinuous() {
    return this.#settings.everyNs === null;
  }

  /** Recipients of the next message, as a copy. */
  get subscribed() {
    return [...this.#subscribed];
  }

  async *[Symbol.asyncIterator]() {
    for (let waitNs = this.waitNs(); waitNs !== null; waitNs = this.waitNs()) {
      if (waitNs > 0n) {
        // Rounded up, because a timer that fires too early would fire twice.
        await setTimeout(Number(waitNs / MILLISECOND_NS) + 1);
      } else {
        yield this.nextMessage();
        if (this.#number % TURN_MESSAGES === 0) await setImmediate();
      }
    }
    this.finish();
  }

  /** Returns how long to wait, in nanoseconds. 0n: a message is due. null: the feed is over. */
  waitNs() {
    const nowNs = this.#clock();
    this.#printSeconds(nowNs);
    const dueNs = this.#dueNs(nowNs);
    const isOver = dueNs <= nowNs && !this.#isLeft(dueNs);
    if (isOver || this.#subscribed.size === 0) return null;
    const nextSecondNs = this.#startNs + BigInt(this.#seconds + 1) * SECOND_NS;
    const untilNs = dueNs < nextSecondNs ? dueNs : nextSecondNs;
    return untilNs > nowNs ? untilNs - nowNs : 0n;
  }

  /** Returns the message that is due and counts it once per subscriber. */
  nextMessage() {
    const number = this.#number;
    const { everyNs, format } = this.#settings;
    const stocks = stocksOfMessage(this.#settings, number);
    const timeNs = everyNs === null ? this.#clock() : this.#startNs + BigInt(number) * everyNs;
    const message = format.encode(number, timeNs, stocks);
    this.#number += 1;
    this.#messages += this.#subscribed.size;
    // All texts are ASCII, so that a string's length is its number of bytes.
    this.#bytes += message.length * this.#subscribed.size;
    return message;
  }

  /** Prints the result line. */
  finish() {
    this.isOver = true;
    this.#print({ event: "result", messages: this.#messages, bytes: this.#bytes });
  }

  /** Returns when the next message is due. After the last message, this is when the feed ends. */
  #dueNs(nowNs) {
    const { everyNs } = this.#settings;
    return everyNs === null ? nowNs : this.#startNs + BigInt(this.#number) * everyNs;
  }

  #isLeft(dueNs) {
    const { durationNs, messages } = this.#settings;
    const isInTime = durationNs === null || dueNs < this.#startNs + durationNs;
    return isInTime && this.#number < messages;
  }

  #printSeconds(untilNs) {
    while (untilNs >= this.#startNs + BigInt(this.#seconds + 1) * SECOND_NS) {
      this.#print({
        event: "second",
        second: this.#seconds,
        messages: this.#messages - this.#printedMessages,
        bytes: this.#bytes - this.#printedBytes,
      });
      this.#seconds += 1;
      this.#printedMessages = this.#messages;
      this.#printedBytes = this.#bytes;
    }
  }

  #print(event) {
    this.#write(`${JSON.stringify(event)}\n`);
  }
}
