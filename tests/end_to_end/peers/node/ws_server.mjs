// A ws server: echoes, sends messages and receives their echoes, or floods all clients.

import { createServer } from "node:http";

import { WebSocketServer } from "ws";

import { described, listen, print, sendTo, settings } from "./peer.mjs";

const { deflate = false, flood, talk } = settings;
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
  // Not part of a report: a client that does not read can be noticed only by a reset.
  Object.defineProperty(connection, "socket", { value: request.socket });
  if (talk) converse(socket, connection);
  socket.on("message", (message, isBinary) => {
    if (talk) return;
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

/** Sends messages, optionally with a ping after each; closes when all have come back. */
function converse(socket, connection) {
  const { push, ping, close } = talk;
  Object.assign(connection, { messages: [], pongs: 0 });
  socket.on("pong", () => {
    connection.pongs += 1;
  });
  socket.on("message", (message, isBinary) => {
    connection.messages.push(described(isBinary ? message : message.toString()));
    if (close && connection.messages.length === push.length) socket.close(close, "that was all");
  });
  for (const each of push) {
    sendTo(socket, each);
    if (ping) socket.ping("there?");
  }
}

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
