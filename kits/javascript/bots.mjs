// Bots: connections that send when it is due. docs/contract.md, section 6.

import { Latencies } from "./latency.mjs";
import { readBotSettings } from "./settings.mjs";
import { readOrExit } from "./variables.mjs";

const MILLISECOND_NS = 1_000_000n;
const SECOND_NS = 1_000_000_000;

/** Returns when an event is due, in BigInts but for the numbers. */
export function dueNs(startNs, everyNs, { connection, connections }, event) {
  const offsetNs = (BigInt(connection) * everyNs) / BigInt(connections);
  return startNs + offsetNs + BigInt(event) * everyNs;
}

/** Returns the text of an event. */
export function stamp(event, due, payload) {
  return `${digits(event)} ${digits(due)} ${payload}`;
}

function digits(number) {
  return number.toString().padStart(20, "0");
}

/**
 * All connections' events, and the client's line.
 *
 * Call `opened` for each connection, `answered` of what it returns for each answer, and `closed`
 * for each connection that was told to close; or `fail` when one cannot be opened or ends early.
 */
export class Bots {
  #write;
  #opened = [];
  #closed = 0;

  constructor(settings, { clock, later, write }) {
    this.url = settings.url;
    this.connections = settings.connections;
    this.payload = settings.payload;
    this.everyNs = settings.everyNs;
    this.warmUpNs = toNs(settings.warmUpS);
    this.windowNs = toNs(settings.windowS);
    this.drainNs = toNs(settings.drainS);
    this.clock = clock;
    this.later = later;
    this.#write = write;
  }

  /** Makes the bots that the environment asks for. */
  static fromEnvironment() {
    return new Bots(readOrExit(readBotSettings, process.env), {
      clock: process.hrtime.bigint, // CLOCK_MONOTONIC
      later: setTimeout,
      write: (line) => process.stdout.write(line),
    });
  }

  /**
   * Notes that a connection is open, and returns its bot.
   *
   * `send` is called with each event when it is due, `close` when the connection must be closed
   * with 1000.
   */
  opened(send, close) {
    const bot = new Bot(this, this.#opened.length, send, close);
    this.#opened.push(bot);
    if (this.#opened.length === this.connections) {
      const startNs = this.clock();
      for (const each of this.#opened) each.begin(startNs);
    }
    return bot;
  }

  /** Notes that a connection is closed, and prints the result after the last one. */
  closed() {
    this.#closed += 1;
    if (this.#closed < this.connections) return;
    const latencies = new Latencies();
    for (const bot of this.#opened) latencies.merge(bot.latencies);
    const result = {
      event: "result",
      connections: this.#opened.length,
      sent: this.#opened.reduce((sum, bot) => sum + bot.counted, 0),
      echoed: latencies.total,
      wrong: this.#opened.reduce((sum, bot) => sum + bot.wrong, 0),
      window_ns: Number(this.windowNs),
      response_time_ns: latencies,
    };
    this.#write(`${JSON.stringify(result)}\n`);
  }

  /** Exits with the reason, in one line, why the bots cannot go on. */
  fail(error) {
    const [reason] = (error.message.trim() || error.code || error.name).split("\n");
    console.error(`cannot send to ${this.url}: ${reason}`);
    process.exit(1);
  }
}

/** One connection's events. */
class Bot {
  latencies = new Latencies();
  wrong = 0;
  /** How many were sent of those that were due within the window. */
  counted = 0;
  /** Whether it has been told to close. */
  isOver = false;
  #bots;
  #connection;
  #send;
  #close;
  #startNs;
  #sent = 0;
  // The number of the first event that is not answered.
  #unanswered = 0;

  constructor(bots, connection, send, close) {
    this.#bots = bots;
    this.#connection = connection;
    this.#send = send;
    this.#close = close;
  }

  /** All connections are open. */
  begin(startNs) {
    this.#startNs = startNs;
    this.#sendDue();
  }

  /** Judges an answer: a binary message, or a text, a string or the Buffer of its UTF-8 form. */
  answered(answer, isBinary) {
    const nowNs = this.#bots.clock();
    const text = isBinary ? "" : answer.toString();
    const event = /^[0-9]{20} /.test(text) ? Number(text.slice(0, 20)) : NaN;
    const isExpected = event >= this.#unanswered && event < this.#sent;
    if (!isExpected || text !== stamp(event, this.#dueNs(event), this.#bots.payload)) {
      this.wrong += 1;
      return;
    }
    this.#unanswered = event + 1;
    if (this.#isCounted(event)) this.latencies.record(nowNs - this.#dueNs(event));
    if (this.#hasSentAll() && this.#unanswered === this.#sent) this.#end();
  }

  #sendDue() {
    const nowNs = this.#bots.clock();
    while (!this.#hasSentAll() && this.#dueNs(this.#sent) <= nowNs) {
      const event = this.#sent;
      if (this.#isCounted(event)) this.counted += 1;
      this.#sent += 1;
      this.#send(stamp(event, this.#dueNs(event), this.#bots.payload));
    }
    if (!this.#hasSentAll()) {
      this.#wait(this.#dueNs(this.#sent), () => this.#sendDue());
    } else if (this.#unanswered === this.#sent) {
      this.#end();
    } else {
      this.#wait(this.#endNs() + this.#bots.drainNs, () => this.#end());
    }
  }

  #end() {
    if (this.isOver) return;
    this.isOver = true;
    this.#close();
  }

  #wait(untilNs, then) {
    // Rounded up: a timer that fires too early would fire twice. None keeps the process alive
    // that has closed its connections.
    const leftMs = Number((untilNs - this.#bots.clock()) / MILLISECOND_NS) + 1;
    this.#bots.later(then, Math.max(0, leftMs)).unref?.();
  }

  #hasSentAll() {
    return this.#dueNs(this.#sent) >= this.#endNs();
  }

  #isCounted(event) {
    const due = this.#dueNs(event);
    return due >= this.#startNs + this.#bots.warmUpNs && due < this.#endNs();
  }

  #endNs() {
    return this.#startNs + this.#bots.warmUpNs + this.#bots.windowNs;
  }

  #dueNs(event) {
    const place = { connection: this.#connection, connections: this.#bots.connections };
    return dueNs(this.#startNs, this.#bots.everyNs, place, event);
  }
}

function toNs(seconds) {
  return BigInt(Math.round(seconds * SECOND_NS));
}
