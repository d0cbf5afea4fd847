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

/** Returns a description of a message that JSON can represent. */
export function described(message) {
  if (typeof message === "string") return { text: message };
  if (!Buffer.isBuffer(message)) return { json: message };
  return { base64: message.toString("base64") };
}

/** Returns the message that a description represents. */
export function made({ text, base64 }) {
  return text === undefined ? Buffer.from(base64, "base64") : text;
}
