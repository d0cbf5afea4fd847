// Receives messages with LIBRARY, as its documentation shows.

import { CLOSE, REPLY, runClient } from "../../kits/javascript/client.mjs";

runClient((client) => {
  // LIBRARY: open a connection to client.url, without compression, for messages of up to 16 MiB.
  // LIBRARY: call onOpen, onMessage and onClose; if it cannot connect, call client.fail(error).
  client.fail(new Error("client.mjs lacks the calls of the library"));
  let received;

  const onOpen = () => {
    received = client.opened();
  };

  const onMessage = (message) => {
    const action = received();
    if (action === REPLY) {
      // LIBRARY: send the message back, with the same type.
    } else if (action === CLOSE) {
      // LIBRARY: start the closing handshake with code 1000.
    }
  };

  const onClose = () => client.closed();
});
