// Opens a connection with the WebSocket of Node.js.

// The key of the dispatcher that Node.js sends requests with.
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

// The contract forbids compression. The library always offers it and has no option for it, but a
// request can have its own dispatcher: this one removes the offer.
const withoutOffer = {
  dispatch({ headers, ...request }, handler) {
    const { "sec-websocket-extensions": offer, ...others } = headers;
    return globalThis[DISPATCHER].dispatch({ ...request, headers: others }, handler);
  },
};

export function connect(url) {
  return receivingBuffers(new WebSocket(url, { dispatcher: withoutOffer }));
}

// Connects with the library's default, which offers compression.
export function connectWithOffer(url) {
  return receivingBuffers(new WebSocket(url));
}

function receivingBuffers(ws) {
  // The default, a Blob, can only be read asynchronously.
  ws.binaryType = "arraybuffer";
  return ws;
}
