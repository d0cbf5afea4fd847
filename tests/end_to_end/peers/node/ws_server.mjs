// A server of ws: sends messages back, or the same message to all at an interval.

import { createServer } from "node:http";

import { WebSocketServer } from "ws";

import { listen, settings } from "./peer.mjs";

const { deflate = false, flood } = settings;
const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: deflate });
const seen = [];

server.on("connection", (socket, request) => {
  const connection = {
    path: request.url,
    extensions: socket.extensions,
    kinds: { text: 0, binary: 0 },
    sent: 0,
    buffered_bytes: 0,
    close_code: null,
  };
  seen.push(connection);
  // Part of no report: what a consumer that does not read can notice is a reset.
  Object.defineProperty(connection, "socket", { value: request.socket });
  socket.on("message", (message, isBinary) => {
    connection.kinds[isBinary ? "binary" : "text"] += 1;
    socket.send(message, { binary: isBinary });
  });
  socket.on("error", () => {});
  socket.on("close", (code) => {
    connection.close_code = code;
  });
  if (flood && server.clients.size === flood.connections) {
    inundate([...server.clients], seen.slice(-flood.connections));
  }
});

/** Sends to all until each has been sent so many; then looks on until they go. */
function inundate(sockets, connections) {
  const message = "x".repeat(flood.bytes);
  const timer = setInterval(() => {
    for (const [index, socket] of sockets.entries()) {
      if (socket.readyState !== socket.OPEN) continue;
      const connection = connections[index];
      if (connection.sent < flood.messages) {
        socket.send(message);
        connection.sent += 1;
      }
      connection.buffered_bytes = socket.bufferedAmount;
      if (flood.buffered_bytes_max && socket.bufferedAmount > flood.buffered_bytes_max) {
        connection.socket.resetAndDestroy();
      }
    }
    if (sockets.every((socket) => socket.readyState === socket.CLOSED)) clearInterval(timer);
  }, flood.every_ms);
}

listen(http, "ws", () => server.clients.size, () => seen);
