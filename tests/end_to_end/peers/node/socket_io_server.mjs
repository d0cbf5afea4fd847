// A Socket.IO server: sends messages back, or to a room, or sends some and counts what comes back.

import { createServer } from "node:http";

import { Server } from "socket.io";

import { described, listen, made, settings } from "./peer.mjs";

const { namespace = "/", event = "message", push = [], token } = settings;
const http = createServer((request, response) => response.writeHead(404).end());
const server = new Server(http, { pingInterval: 100, pingTimeout: 20_000 });
const seen = [];

server.of(namespace).use((socket, next) => {
  next(socket.handshake.auth.token === token ? undefined : new Error("wrong token"));
});

server.of(namespace).on("connection", (socket) => {
  const connection = {
    transport: socket.conn.transport.name,
    messages: 0,
    acknowledged: 0,
    first: null,
  };
  seen.push(connection);
  for (const each of push) socket.emit(event, made(each));
  // Who has joined a room sends to all in it, and the others to themselves.
  let others = socket;
  socket.on("join", ({ room }) => {
    socket.join(room);
    others = server.of(namespace).to(room);
  });
  socket.on(event, (message, acknowledge) => {
    connection.messages += 1;
    connection.first ??= described(message);
    if (acknowledge) {
      connection.acknowledged += 1;
      acknowledge(message);
    }
    if (push.length === 0 && (!acknowledge || others !== socket)) others.emit(event, message);
  });
});

listen(http, "http", () => server.engine.clientsCount, () => seen);
