// Counts what a client receives and prints its lines: docs/contract.md, sections 3, 4 and 7.

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
 * A client's counts and lines.
 *
 * Call `opened` for each connection, what it returns for each message, and `finish` when all
 * connections are closed; or `fail` when one cannot be opened.
 */
export class Receiver {
  #wanted;
  #feed;
  #toLine;
  #clock;
  #later;
  #write;
  #opened = [];
  #openedNs;
  #isFinished = false;
  // What the lines printed so far say.
  #seconds = 0;
  #printed = { messages: 0, bytes: 0 };

  constructor(settings, { toLine, clock, later, write }) {
    this.url = settings.url;
    this.connections = settings.connections;
    this.#wanted = settings.messages;
    this.hasFeed = Boolean(settings.feed);
    this.#feed = settings.feed ?? null;
    this.#toLine = toLine;
    this.#clock = clock;
    this.#later = later;
    this.#write = write;
  }

  /** Makes the receiver that the environment asks for. */
  static fromEnvironment() {
    const settings = readOrExit(readSettings, process.env);
    const name = basename(dirname(process.argv[1]));
    return new Receiver(settings, {
      toLine: settings.lines === "json" ? toJsonLine : (event) => toAutorouteLine(name, event),
      clock: nowNs,
      // Not a reason to keep the process alive.
      later: (callback, delayMs) => setTimeout(callback, delayMs).unref(),
      write: (line) => process.stdout.write(line),
    });
  }

  /**
   * Notes that a connection is open, and returns the function that counts.
   *
   * Call that one for each message; with a feed, with the message, a string or a Buffer, and with
   * whether it is binary. It returns true when the connection has received what was wanted and must be closed.
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
    return connection.counter(this.#wanted, this.#clock);
  }

  /**
   * Prints the seconds that have ended.
   *
   * Returns the nanoseconds to the end of the next one, or null when all messages are there: no
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
   * Where messages are missing, `received_ns` is the instant of this call.
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
    const wanted = this.#wanted * this.connections;
    const { messages } = counts;
    if (messages < wanted && wanted < Infinity) console.error(`received ${messages} of ${wanted} messages`);
  }

  /** Exits with the reason, in one line, why there is nothing to count. */
  fail(error) {
    const [reason] = (error.message.trim() || error.code || error.name).split("\n");
    console.error(`cannot receive from ${this.url}: ${reason}`);
    process.exit(1);
  }

  #report() {
    const leftNs = this.tick();
    if (leftNs === null) return;
    // Rounded up: a timer that fires too early would fire twice.
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
    // After a stall of several seconds the first of them gets all that came: which came when is
    // not known.
    while (untilNs >= this.#nextEndNs()) {
      const counts = this.#count();
      const arrived = Object.entries(counts).map(([key, count]) => [key, count - this.#printed[key]]);
      this.#print({ event: "second", second: this.#seconds, ...Object.fromEntries(arrived) });
      this.#seconds += 1;
      this.#printed = counts;
    }
  }

  /** Returns what there is: bytes are counted only of a feed. */
  #count() {
    const sum = (key) => this.#opened.reduce((all, connection) => all + connection[key], 0);
    const messages = sum("messages");
    return this.#feed ? { messages, bytes: sum("bytes") } : { messages };
  }

  #print(event) {
    this.#write(`${this.#toLine(event)}\n`);
  }
}

/** What one connection has received. */
class Connection {
  messages = 0;
  // When the last message wanted came. The others are not timed: asking the clock costs ten
  // times as much as all the rest of the counting.
  receivedNs = null;

  /** Returns the function that is called for each message. */
  counter(wanted, clock) {
    return () => {
      if (this.messages === wanted) return true; // Delivered while the connection closes.
      this.messages += 1;
      if (this.messages !== wanted) return false;
      this.receivedNs = clock();
      return true;
    };
  }
}

/** What one connection has received of a feed. */
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

  counter(wanted, clock) {
    const count = super.counter(wanted, clock);
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

/** Returns what the result says of a feed. */
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

/** Returns the line of the contract's section 3. */
export function toJsonLine(event) {
  // JSON.stringify refuses a BigInt.
  const pairs = Object.entries(event).map(
    ([key, value]) => `"${key}":${typeof value === "bigint" ? value : JSON.stringify(value)}`,
  );
  return `{${pairs.join(",")}}`;
}

/** Returns the line of the contract's section 4. */
export function toAutorouteLine(name, event) {
  if (event.event === "second") return `messages received per second: ${event.messages}`;
  const durationNs = event.received_ns - event.opened_ns;
  return `AUTOROUTE ${name} :: ${(durationNs + MILLISECOND_NS / 2n) / MILLISECOND_NS} ms`;
}
