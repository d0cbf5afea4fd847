// Receives messages with ws, as its README shows: a listener for each event.

import WebSocket from "ws";
import { CLOSE, REPLY, runClient } from "../../kits/javascript/client.mjs";

runClient((client) => {
  // The contract requires compression to be off by default; the library would offer it.
  const ws = new WebSocket(client.url, client.deflate ? {} : { perMessageDeflate: false });
  let received;

  // The handshake failed or the library refused a message; a lost connection is no error event.
  ws.on("error", (error) => client.fail(error));

  ws.on("open", () => {
    received = client.opened();
  });

  ws.on("message", (data, isBinary) => {
    const message = isBinary ? data : data.toString();
    const action = received();
    if (action === REPLY) ws.send(message);
    else if (action === CLOSE) ws.close(1000);
  });

  ws.on("close", () => client.closed());
});
