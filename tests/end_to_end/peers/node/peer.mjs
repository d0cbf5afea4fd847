// What the servers share: an address that is printed, reports on request, an end with stdin.

import { createInterface } from "node:readline";

/** What the test wants, as JSON in the first argument. */
export const settings = JSON.parse(process.argv[2]);

export function print(document) {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/**
 * Listens on a free port and prints the address. Each line of stdin is answered with a report
 * once no connection is open: a client that is gone may still be about to be noticed.
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

/** From so many bytes on, zeros are told by their number. */
const LONG_BYTES = 10_000;

/** A message as it can be written in JSON. */
export function described(message) {
  if (typeof message === "string") return { text: message };
  if (message.length >= LONG_BYTES && message.every((byte) => byte === 0)) {
    return { zeros: message.length };
  }
  return { base64: message.toString("base64") };
}

/** The message that a description is of. */
export function made({ text, zeros, base64 }) {
  if (zeros !== undefined) return Buffer.alloc(zeros);
  return text === undefined ? Buffer.from(base64, "base64") : text;
}

/** Sends the message that a description is of, each of its fragments as a frame, or a ping. */
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
