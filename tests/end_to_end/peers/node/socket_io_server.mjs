// A Socket.IO server: sends messages back, or some messages to each client.

import { createServer } from "node:http";

import { Server } from "socket.io";

import { described, listen, made, settings } from "./peer.mjs";

const { namespace = "/", event = "message", push = [] } = settings;
const http = createServer((request, response) => response.writeHead(404).end());
const server = new Server(http, { pingInterval: 100, pingTimeout: 20_000 });
const seen = [];

server.of(namespace).on("connection", (socket) => {
  const connection = {
    transport: socket.conn.transport.name,
    messages: 0,
    acknowledged: 0,
    first: null,
  };
  seen.push(connection);
  for (const each of push) socket.emit(event, made(each));
  socket.on(event, (message, acknowledge) => {
    connection.messages += 1;
    connection.first ??= described(message);
    if (acknowledge) {
      connection.acknowledged += 1;
      acknowledge(message);
    } else {
      socket.emit(event, message);
    }
  });
});

listen(http, "http", () => server.engine.clientsCount, () => seen);
