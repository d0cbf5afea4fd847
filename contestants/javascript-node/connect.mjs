// Opens a connection with the WebSocket of Node.js.

// Where Node.js keeps what carries out its requests.
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

// The contract forbids compression, which the library always offers: it has no option, but a request
// can be given a dispatcher, and this one leaves the offer out.
const withoutOffer = {
  dispatch({ headers, ...request }, handler) {
    const { "sec-websocket-extensions": offer, ...others } = headers;
    return globalThis[DISPATCHER].dispatch({ ...request, headers: others }, handler);
  },
};

export function connect(url) {
  return receivingBuffers(new WebSocket(url, { dispatcher: withoutOffer }));
}

// As the library does of itself.
export function connectWithOffer(url) {
  return receivingBuffers(new WebSocket(url));
}

function receivingBuffers(ws) {
  // A Blob, the default, could only be read asynchronously.
  ws.binaryType = "arraybuffer";
  return ws;
}
