// Receives with LIBRARY.

import { Receiver } from "../../kits/javascript/receiver.mjs";

const receiver = Receiver.fromEnvironment();
let open = receiver.connections;

for (let connection = 0; connection < receiver.connections; connection += 1) {
  // LIBRARY: open a connection to receiver.url, without compression, for messages of up to 16 MiB.
  // LIBRARY: call onOpen, onMessage and onClose; if it cannot connect, call receiver.fail(error).
  receiver.fail(new Error("client.mjs lacks the calls of the library"));
  let received;

  const onOpen = () => {
    received = receiver.opened();
  };

  const onMessage = (data, isBinary) => {
    if (received(data, isBinary)) {
      // LIBRARY: start the closing handshake with code 1000.
    }
  };

  const onClose = () => {
    open -= 1;
    if (open === 0) receiver.finish();
  };
}
