// A ws server that floods all clients.

import { createServer } from "node:http";

import { WebSocketServer } from "ws";

import { listen, print, settings } from "./peer.mjs";

const { flood } = settings;
const http = createServer();
const server = new WebSocketServer({ server: http });
const seen = [];

server.on("connection", (socket, request) => {
  const connection = { sent: 0, buffered_bytes: 0, close_code: null };
  seen.push(connection);
  // Not part of a report: a client that does not read can be noticed only by a reset.
  Object.defineProperty(connection, "socket", { value: request.socket });
  socket.on("error", () => {});
  socket.on("close", (code) => {
    connection.close_code = code;
  });
  if (server.clients.size === flood.connections) {
    inundate([...server.clients], seen.slice(-flood.connections));
  }
});

/**
 * Sends to all clients until each has been sent the planned number of messages. Reports when half
 * of them have received all, and waits until they close. Adds nothing before half of the clients
 * have received what was sent: the readers limit the send rate.
 */
function inundate(sockets, connections) {
  const message = "x".repeat(flood.bytes);
  let isServed = false;
  const timer = setInterval(() => {
    const ready = sockets.filter((socket) => socket.bufferedAmount === 0).length;
    const isHalfReady = 2 * ready >= sockets.length;
    const hasAll = ({ bufferedAmount }, index) =>
      bufferedAmount === 0 && connections[index].sent === flood.messages;
    const served = sockets.filter(hasAll).length;
    if (!isServed && 2 * served >= sockets.length) {
      isServed = true;
      print({ served });
    }
    for (const [index, socket] of sockets.entries()) {
      if (socket.readyState !== socket.OPEN) continue;
      const connection = connections[index];
      if (connection.sent < flood.messages && isHalfReady) {
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
