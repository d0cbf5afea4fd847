// Opens a session with socket.io-client, in the namespace of a URL.

import { io } from "socket.io-client";
import { readChoice, readOrExit } from "../../kits/javascript/variables.mjs";

const transport = readOrExit(
  (environment) => readChoice(environment, "TRANSPORT", ["websocket", "polling"]),
  process.env,
);

export function connect(url) {
  return io(url, {
    // The contract: one transport, where the library would begin with polling, and a session that
    // has ended is not opened again.
    transports: [transport],
    reconnection: false,
    // The contract: a session for each connection. The library would share one.
    forceNew: true,
    // The contract: off. The library offers it by default.
    perMessageDeflate: false,
  });
}
