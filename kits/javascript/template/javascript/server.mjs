// Serves with LIBRARY, as its documentation shows.

import { MESSAGE_BYTES_MAX, runServer } from "../../kits/javascript/server.mjs";

runServer((settings) => {
  // LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to
  // MESSAGE_BYTES_MAX.
  // LIBRARY: send each message of a connection to /echo back unchanged.
  // LIBRARY: send each message of a connection to /publish to all connections to /subscribe.
  // LIBRARY: refuse other paths.
  throw new Error(`server.mjs lacks the calls of the library: ${settings.port}, ${MESSAGE_BYTES_MAX}`);
});
