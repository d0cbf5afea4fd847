// Adds up the messages that a client receives and prints its lines: docs/contract.md, sections 3, 4
// and 7.

import { basename, dirname } from "node:path";

import { nowNs } from "./clock.mjs";
import { WrongMessageError } from "./feed.mjs";
import { Latencies } from "./latency.mjs";
import { noVerdicts, Sequence } from "./sequence.mjs";
import { readSettings } from "./settings.mjs";
import { readOrExit } from "./variables.mjs";

const SECOND_NS = 1_000_000_000n;
const MILLISECOND_NS = 1_000_000n;

/**
 * Adds up the messages of all connections of a client and prints the lines.
 *
 * Call `opened` for each connection, the function that it returns for each message, and `finish`
 * when all connections are closed. Call `fail` if a connection cannot be opened.
 */
export class Receiver {
  #expected;
  #feed;
  #toLine;
  #clock;
  #later;
  #write;
  #opened = [];
  #openedNs;
  #isFinished = false;
  // State at the last printed line.
  #seconds = 0;
  #printed = { messages: 0, bytes: 0 };

  constructor(settings, { toLine, clock, later, write }) {
    this.url = settings.url;
    this.connections = settings.connections;
    this.#expected = settings.messages;
    this.#feed = settings.feed ?? null;
    this.#toLine = toLine;
    this.#clock = clock;
    this.#later = later;
    this.#write = write;
  }

  /** Creates the receiver that the environment variables describe. */
  static fromEnvironment() {
    const settings = readOrExit(readSettings, process.env);
    const name = basename(dirname(process.argv[1]));
    return new Receiver(settings, {
      toLine: settings.lines === "json" ? toJsonLine : (event) => toAutorouteLine(name, event),
      clock: nowNs,
      // The timer must not keep the process alive.
      later: (callback, delayMs) => setTimeout(callback, delayMs).unref(),
      write: (line) => process.stdout.write(line),
    });
  }

  /**
   * Registers an open connection and returns its counting function.
   *
   * Call the function with each message, a string or a Buffer, and whether it is binary. It returns
   * true once all expected messages have arrived: then close the connection.
   */
  opened() {
    const connection = this.#feed
      ? new CheckedConnection(this.#clock, this.#feed)
      : new Connection();
    this.#opened.push(connection);
    if (this.#openedNs === undefined) {
      this.#openedNs = this.#clock();
      this.#report();
    }
    return connection.counter(this.#expected, this.#clock);
  }

  /**
   * Prints a line for each second that has ended.
   *
   * Returns the nanoseconds until the next second ends, or null once all messages have arrived: no
   * second is printed after the last message.
   */
  tick() {
    if (this.#isFinished) return null;
    const nowNs = this.#clock();
    const receivedNs = this.#allReceivedNs();
    this.#printSeconds(receivedNs ?? nowNs);
    return receivedNs === null ? this.#nextEndNs() - nowNs : null;
  }

  /**
   * Prints the result. Nothing is printed after it.
   *
   * If messages are missing, `received_ns` is the time of this call.
   */
  finish() {
    const receivedNs = this.#allReceivedNs() ?? this.#clock();
    this.#printSeconds(receivedNs);
    const counts = this.#count();
    this.#print({
      event: "result",
      connections: this.#opened.length,
      ...counts,
      opened_ns: this.#openedNs,
      received_ns: receivedNs,
      ...(this.#feed ? sumUp(this.#feed, this.#opened) : {}),
    });
    this.#isFinished = true;
    const expected = this.#expected * this.connections;
    const { messages } = counts;
    if (messages < expected && expected < Infinity) console.error(`received ${messages} of ${expected} messages`);
  }

  /** Exits with a one-line reason why nothing can be received. */
  fail(error) {
    const [reason] = (error.message.trim() || error.code || error.name).split("\n");
    console.error(`cannot receive from ${this.url}: ${reason}`);
    process.exit(1);
  }

  #report() {
    const leftNs = this.tick();
    if (leftNs === null) return;
    // Rounded up, because a timer that fires too early would fire twice.
    const leftMs = Number(leftNs / MILLISECOND_NS) + 1;
    this.#later(() => this.#report(), leftMs);
  }

  #allReceivedNs() {
    const instants = this.#opened.map((connection) => connection.receivedNs);
    if (instants.length < this.connections || instants.includes(null)) return null;
    return instants.reduce((last, instant) => (instant > last ? instant : last));
  }

  #nextEndNs() {
    return this.#openedNs + BigInt(this.#seconds + 1) * SECOND_NS;
  }

  #printSeconds(untilNs) {
    // After a stall of several seconds, the first of them is credited with all messages: their
    // times of arrival are unknown.
    while (untilNs >= this.#nextEndNs()) {
      const counts = this.#count();
      const arrived = Object.entries(counts).map(([key, count]) => [key, count - this.#printed[key]]);
      this.#print({ event: "second", second: this.#seconds, ...Object.fromEntries(arrived) });
      this.#seconds += 1;
      this.#printed = counts;
    }
  }

  /** Returns the totals; bytes are counted only for a feed. */
  #count() {
    const sum = (key) => this.#opened.reduce((all, connection) => all + connection[key], 0);
    const messages = sum("messages");
    return this.#feed ? { messages, bytes: sum("bytes") } : { messages };
  }

  #print(event) {
    this.#write(`${this.#toLine(event)}\n`);
  }
}

/** Counts the messages of one connection. */
class Connection {
  messages = 0;
  // Time at which the last expected message arrived. Other messages are not timed, because reading
  // the clock costs ten times as much as counting.
  receivedNs = null;

  /** Returns the function to call for each message. */
  counter(expected, clock) {
    return () => {
      if (this.messages === expected) return true; // Delivered while the connection closes.
      this.messages += 1;
      if (this.messages !== expected) return false;
      this.receivedNs = clock();
      return true;
    };
  }
}

/** Counts and checks the messages of a feed on one connection. */
class CheckedConnection extends Connection {
  bytes = 0;
  sequence = new Sequence();
  latencies = new Latencies();
  wrong = 0;
  #clock;
  #feed;

  constructor(clock, feed) {
    super();
    this.#clock = clock;
    this.#feed = feed;
  }

  counter(expected, clock) {
    const count = super.counter(expected, clock);
    return (message, isBinary) => {
      if (this.receivedNs === null) this.#take(message, isBinary);
      return count();
    };
  }

  #take(message, isBinary) {
    this.bytes += typeof message === "string" ? Buffer.byteLength(message) : message.length;
    try {
      this.#check(message, isBinary);
    } catch (error) {
      if (!(error instanceof WrongMessageError)) throw error;
      this.wrong += 1;
    }
  }

  #check(message, isBinary) {
    const { number, timeNs } = this.#feed.decode(message, isBinary);
    if (timeNs !== undefined) {
      const latencyNs = this.#clock() - timeNs;
      if (latencyNs < 0n) throw new WrongMessageError();
      this.latencies.record(latencyNs);
    }
    if (number !== undefined) this.sequence.check(number);
  }
}

/** Returns the keys of the result line that only a feed has. */
function sumUp(feed, connections) {
  const latencies = new Latencies();
  const sequence = noVerdicts();
  let wrong = 0;
  for (const connection of connections) {
    latencies.merge(connection.latencies);
    for (const [verdict, count] of Object.entries(connection.sequence.counts)) {
      sequence[verdict] += count;
    }
    wrong += connection.wrong;
  }
  return {
    wrong,
    sequence: feed.hasNumber ? sequence : null,
    latency_ns: feed.hasInstant ? latencies : null,
  };
}

/** Returns the line of docs/contract.md, section 3. */
export function toJsonLine(event) {
  // JSON.stringify throws on a BigInt.
  const pairs = Object.entries(event).map(
    ([key, value]) => `"${key}":${typeof value === "bigint" ? value : JSON.stringify(value)}`,
  );
  return `{${pairs.join(",")}}`;
}

/** Returns the line of docs/contract.md, section 4. */
export function toAutorouteLine(name, event) {
  if (event.event === "second") return `messages received per second: ${event.messages}`;
  const durationNs = event.received_ns - event.opened_ns;
  return `AUTOROUTE ${name} :: ${(durationNs + MILLISECOND_NS / 2n) / MILLISECOND_NS} ms`;
}
