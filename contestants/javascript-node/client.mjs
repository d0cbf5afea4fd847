// Receives messages with the WebSocket of Node.js, as its documentation shows: a listener for each
// event.

import { CLOSE, REPLY, runClient } from "../../kits/javascript/client.mjs";

// The key of the dispatcher that Node.js sends requests with.
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

// The contract requires compression to be off by default. The library always offers it and has no
// option for it, but a request can have its own dispatcher: this one removes the offer.
const withoutOffer = {
  dispatch({ headers, ...request }, handler) {
    const { "sec-websocket-extensions": offer, ...others } = headers;
    return globalThis[DISPATCHER].dispatch({ ...request, headers: others }, handler);
  },
};

runClient((client) => {
  const ws = new WebSocket(client.url, client.deflate ? {} : { dispatcher: withoutOffer });
  // The default, a Blob, can only be read asynchronously.
  ws.binaryType = "arraybuffer";
  let received;

  ws.addEventListener("error", (event) => {
    // After the handshake, a lost connection is an error event as well, and a normal end.
    if (received) console.error(event.message);
    else client.fail(event);
  });

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
