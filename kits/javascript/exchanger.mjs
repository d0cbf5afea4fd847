// Counts the echoes of a client and prints its line: docs/contract.md, section 5.

import { readEchoSettings } from "./settings.mjs";
import { readOrExit } from "./variables.mjs";

/**
 * A client's echoes, and its line.
 *
 * Call `opened` for each connection, `answered` for each answer, and `closed` for each connection
 * that was told to close; or `fail` when one cannot be opened or ends early.
 */
export class Exchanger {
  #payload;
  #warmUpMs;
  #windowMs;
  #clockMs;
  #write;
  #opened = 0;
  #closed = 0;
  #echoed = 0;
  #wrong = 0;
  // When the window begins: never, until the last connection is open.
  #beginsMs = Infinity;

  constructor(settings, { clockMs, write }) {
    this.url = settings.url;
    this.connections = settings.connections;
    this.payload = settings.payload;
    this.#payload = Buffer.from(settings.payload);
    this.#warmUpMs = settings.warmUpS * 1000;
    this.#windowMs = settings.windowS * 1000;
    this.#clockMs = clockMs;
    this.#write = write;
  }

  /** Makes the exchanger that the environment asks for. */
  static fromEnvironment() {
    return new Exchanger(readOrExit(readEchoSettings, process.env), {
      clockMs: () => performance.now(), // CLOCK_MONOTONIC, from the program's start
      write: (line) => process.stdout.write(line),
    });
  }

  /** Notes that a connection is open. It must send its first message. */
  opened() {
    this.#opened += 1;
    if (this.#opened === this.connections) this.#beginsMs = this.#clockMs() + this.#warmUpMs;
  }

  /**
   * Counts one answer; returns true to send again, false to close the connection with 1000.
   *
   * A text may be a string or the Buffer of its UTF-8 form.
   */
  answered(answer, isBinary) {
    // Asking the clock costs little beside an echo.
    const elapsedMs = this.#clockMs() - this.#beginsMs;
    if (isBinary || !this.#isPayload(answer)) this.#wrong += 1;
    else if (elapsedMs >= 0 && elapsedMs < this.#windowMs) this.#echoed += 1;
    return elapsedMs < this.#windowMs;
  }

  #isPayload(text) {
    return typeof text === "string" ? text === this.payload : this.#payload.equals(text);
  }

  /** Notes that a connection is closed, and prints the result after the last one. */
  closed() {
    this.#closed += 1;
    if (this.#closed < this.connections) return;
    const result = {
      event: "result",
      connections: this.#opened,
      echoed: this.#echoed,
      wrong: this.#wrong,
      window_ns: Math.round(this.#windowMs * 1e6),
    };
    this.#write(`${JSON.stringify(result)}\n`);
  }

  /** Exits with the reason, in one line, why there is no exchange. */
  fail(error) {
    const [reason] = (error.message.trim() || error.code || error.name).split("\n");
    console.error(`cannot exchange with ${this.url}: ${reason}`);
    process.exit(1);
  }
}
