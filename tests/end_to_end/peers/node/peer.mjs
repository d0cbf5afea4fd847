// Shared by the servers: a printed address, reports on request, and an end with stdin.

import { createInterface } from "node:readline";

/** The test's settings, as JSON in the first argument. */
export const settings = JSON.parse(process.argv[2]);

export function print(document) {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/**
 * Listens on a free port and prints the address. Answers each line of stdin with a report once no
 * connection is open, because the end of a client may be noticed late.
 */
export function listen(server, scheme, openConnections, report) {
  server.listen(0, "127.0.0.1", () => {
    print({ url: `${scheme}://127.0.0.1:${server.address().port}` });
  });
  const answer = () => (openConnections() ? setTimeout(answer, 5) : print(report()));
  createInterface({ input: process.stdin })
    .on("line", answer)
    .on("close", () => process.exit());
}

/** Zeros of at least this length, in bytes, are described by their number. */
const LONG_BYTES = 10_000;

/** Returns a description of a message that JSON can represent. */
export function described(message) {
  if (typeof message === "string") return { text: message };
  if (!Buffer.isBuffer(message)) return { json: message };
  if (message.length >= LONG_BYTES && message.every((byte) => byte === 0)) {
    return { zeros: message.length };
  }
  return { base64: message.toString("base64") };
}

/** Returns the message that a description represents. */
export function made({ text, zeros, base64 }) {
  if (zeros !== undefined) return Buffer.alloc(zeros);
  return text === undefined ? Buffer.from(base64, "base64") : text;
}

/** Sends the described message, with each fragment as a frame, or a ping. */
export function sendTo(socket, description) {
  const { fragments, ping } = description;
  if (ping !== undefined) {
    socket.ping(ping);
  } else if (fragments === undefined) {
    socket.send(made(description));
  } else {
    fragments.forEach((part, index) => {
      socket.send(part, { fin: index === fragments.length - 1 });
    });
  }
}
