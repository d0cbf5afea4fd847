// A Socket.IO client: sends messages, and receives a number of events or acknowledgements.

import { readFileSync } from "node:fs";

import { io } from "socket.io-client";

import { described, made, print, settings } from "./peer.mjs";

const { url, transport, event = "message", send = [], messages } = settings;
const { acknowledge = false, ca_file } = settings;
const socket = io(url, {
  transports: [transport],
  forceNew: true,
  reconnection: false,
  ca: ca_file && readFileSync(ca_file, "utf8"),
});
const received = [];

function take(message) {
  received.push(described(message));
  if (received.length === messages) {
    print({ messages: received, transport: socket.io.engine.transport.name });
    socket.disconnect();
  }
}

socket.on("connect", () => {
  for (const each of send) {
    if (acknowledge) socket.emit(event, made(each), take);
    else socket.emit(event, made(each));
  }
});
socket.on("connect_error", (error) => {
  process.stderr.write(`${error}\n`);
  process.exit(1);
});
socket.on("disconnect", (reason) => {
  if (received.length < messages) {
    process.stderr.write(`${reason} after ${received.length} of ${messages} messages\n`);
    process.exit(1);
  }
});
socket.on(event, take);
