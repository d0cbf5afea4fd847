// Receives messages with Bun's WebSocket, as its documentation shows: a listener for each event.

import { CLOSE, REPLY, runClient } from "../../kits/javascript/client.mjs";

runClient((client) => {
  // The contract requires compression to be off by default; the library would offer it.
  const ws = new WebSocket(client.url, client.deflate ? {} : { perMessageDeflate: false });
  let received;

  // The handshake failed or the library refused a message; a lost connection is no error event.
  ws.addEventListener("error", (event) => client.fail(event));

  ws.addEventListener("open", () => {
    received = client.opened();
  });

  ws.addEventListener("message", ({ data }) => {
    const action = received();
    if (action === REPLY) ws.send(data);
    else if (action === CLOSE) ws.close(1000);
  });

  ws.addEventListener("close", () => client.closed());
});
