// Counts the messages of a client, tells what to do after each, and prints the result:
// docs/contract.md, section 3.

import { nowNs } from "./clock.mjs";
import { exitWith, readChoice, readCount, readOrExit, readUrl } from "./variables.mjs";

// What a client does after a message.
/** Receives the next message. */
export const CONTINUE = 0;
/** Sends the message back. */
export const REPLY = 1;
/** Starts the closing handshake with code 1000. */
export const CLOSE = 2;

/** Calls `open` with the client once for each connection. It must open the connection. */
export function runClient(open) {
  const settings = readOrExit(readClient);
  const client = new Client(settings);
  for (let opened = 0; opened < settings.connections; opened += 1) open(client);
}

/** Reads the variables of a client; throws a SettingsError that names a wrong one. */
export function readClient(environment) {
  return {
    url: readUrl(environment),
    connections: readCount(environment, "CONNECTIONS", "1"),
    // Infinity: until the server closes.
    messages: environment.MESSAGES === undefined ? Infinity : readCount(environment, "MESSAGES"),
    isReplying: readChoice(environment, "VERB", ["count", "reply"]) === "reply",
    deflate: readChoice(environment, "COMPRESSION", ["", "deflate"]) === "deflate",
  };
}

/**
 * The connections of a client.
 *
 * Call `opened` for each connection, the function that it returns for each message, and `closed`
 * when the connection has ended. Call `fail` if it cannot be opened.
 */
export class Client {
  #settings;
  #clock;
  #write;
  #connections = [];
  #openedNs;
  #closed = 0;

  constructor(
    settings,
    { clock = nowNs, write = (line) => process.stdout.write(line) } = {},
  ) {
    this.url = settings.url;
    // Whether the library's offer of compression stays on.
    this.deflate = settings.deflate;
    this.#settings = settings;
    this.#clock = clock;
    this.#write = write;
  }

  /**
   * Registers a connection that is open. Returns the function to call for each message, which
   * returns what to do then: CONTINUE, REPLY or CLOSE.
   */
  opened() {
    this.#openedNs ??= this.#clock();
    const connection = new Connection();
    this.#connections.push(connection);
    return connection.counter(this.#settings, this.#clock);
  }

  /** Registers the end of a connection. After the last one, prints the result. */
  closed() {
    this.#closed += 1;
    if (this.#closed < this.#settings.connections) return;
    if (this.#connections.length < this.#closed) this.fail(new Error("the handshake failed"));
    const endedNs = this.#clock();
    const instants = this.#connections.map(({ receivedNs }) => receivedNs ?? endedNs);
    const receivedNs = instants.reduce((last, instant) => (instant > last ? instant : last));
    const messages = this.#connections.reduce((sum, connection) => sum + connection.messages, 0);
    // JSON.stringify throws on a BigInt.
    this.#write(
      `{"event":"result","connections":${this.#closed},"messages":${messages},` +
        `"opened_ns":${this.#openedNs},"received_ns":${receivedNs}}\n`,
    );
  }

  /** Ends the program with status 1 and a one-line reason. */
  fail(error) {
    exitWith(1, `${this.url}: ${error.message?.trim() || error.code || "no connection"}`);
  }
}

/** The messages of one connection. */
class Connection {
  messages = 0;
  // The instant of the last message wanted. Others have none: reading the clock costs ten times as
  // much as counting.
  receivedNs = null;

  /** Returns the function to call for each message. */
  counter({ isReplying, messages: wanted }, clock) {
    if (isReplying) {
      return () => {
        this.messages += 1;
        return REPLY;
      };
    }
    return () => {
      if (this.messages === wanted) return CONTINUE; // Delivered while the connection closes.
      this.messages += 1;
      if (this.messages !== wanted) return CONTINUE;
      this.receivedNs = clock();
      return CLOSE;
    };
  }
}
