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

/** A message as it can be written in JSON. */
export function described(message) {
  return typeof message === "string" ? { text: message } : { base64: message.toString("base64") };
}

/** The message that a description is of. */
export function made({ text, base64 }) {
  return text === undefined ? Buffer.from(base64, "base64") : text;
}
