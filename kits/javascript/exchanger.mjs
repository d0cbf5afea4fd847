// Counts a client's echoes and prints its result line: docs/contract.md, section 5.

import { readEchoSettings } from "./settings.mjs";
import { readOrExit } from "./variables.mjs";

/**
 * Counts the echoes of all connections of a client and prints the result line.
 *
 * Call `opened` for each connection, `answered` for each answer, and `closed` for each connection
 * after its exchange is over. Call `fail` if a connection cannot be opened or ends early.
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
  // Start of the window, in milliseconds; Infinity until the last connection is open.
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

  /** Creates the exchanger that the environment variables describe. */
  static fromEnvironment() {
    return new Exchanger(readOrExit(readEchoSettings, process.env), {
      clockMs: () => performance.now(), // CLOCK_MONOTONIC since the program's start
      write: (line) => process.stdout.write(line),
    });
  }

  /** Registers an open connection, which must then send its first message. */
  opened() {
    this.#opened += 1;
    if (this.#opened === this.connections) this.#beginsMs = this.#clockMs() + this.#warmUpMs;
  }

  /**
   * Counts one answer. Returns true to send the next message, false to close the connection with
   * code 1000.
   *
   * A text may be a string or a Buffer that contains it as UTF-8.
   */
  answered(answer, isBinary) {
    // Reading the clock is cheap compared with an echo.
    const elapsedMs = this.#clockMs() - this.#beginsMs;
    if (isBinary || !this.#isPayload(answer)) this.#wrong += 1;
    else if (elapsedMs >= 0 && elapsedMs < this.#windowMs) this.#echoed += 1;
    return elapsedMs < this.#windowMs;
  }

  #isPayload(text) {
    return typeof text === "string" ? text === this.payload : this.#payload.equals(text);
  }

  /** Registers that a connection is closed. Prints the result after the last one. */
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

  /** Exits with a one-line reason why the exchange is impossible. */
  fail(error) {
    const [reason] = (error.message.trim() || error.code || error.name).split("\n");
    console.error(`cannot exchange with ${this.url}: ${reason}`);
    process.exit(1);
  }
}
