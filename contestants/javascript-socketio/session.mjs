// Opens a session with socket.io-client in the namespace of a URL.

import { io } from "socket.io-client";
import { readChoice, readOrExit } from "../../kits/javascript/variables.mjs";

const transport = readOrExit(
  (environment) => readChoice(environment, "TRANSPORT", ["websocket", "polling"]),
  process.env,
);

export function connect(url) {
  return io(url, {
    // The contract requires a single transport, but the library would start with polling, and
    // forbids reopening a session.
    transports: [transport],
    reconnection: false,
    // The contract requires a session per connection; the library would share one.
    forceNew: true,
    // Off, as the contract requires; the library offers it by default.
    perMessageDeflate: false,
  });
}
