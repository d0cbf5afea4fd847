// A ws client: sends messages, and receives a number of them, or all until the server closes.

import { readFileSync } from "node:fs";

import { WebSocket } from "ws";

import { described, print, sendTo, settings } from "./peer.mjs";

const { url, send = [], messages = null, deflate = false, protocols = [], ca_file } = settings;
const socket = new WebSocket(url, protocols, {
  perMessageDeflate: deflate,
  ca: ca_file && readFileSync(ca_file),
});
const received = [];
let pongs = 0;

socket.on("open", () => {
  for (const each of send) sendTo(socket, each);
});
socket.on("message", (message, isBinary) => {
  if (socket.readyState !== socket.OPEN) return;
  received.push(described(isBinary ? message : message.toString()));
  if (received.length === messages) socket.close(1000);
});
socket.on("pong", () => {
  pongs += 1;
});
socket.on("close", (code) => {
  const { extensions, protocol } = socket;
  print({ messages: received, pongs, extensions, protocol, close_code: code });
});
