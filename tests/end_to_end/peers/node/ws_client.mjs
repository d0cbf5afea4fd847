// A client of ws: sends some messages, and receives so many, or all until the server closes.

import { readFileSync } from "node:fs";

import { WebSocket } from "ws";

import { described, made, print, settings } from "./peer.mjs";

const { url, send = [], messages = null, deflate = false, protocols = [], ca_file } = settings;
const socket = new WebSocket(url, protocols, {
  perMessageDeflate: deflate,
  ca: ca_file && readFileSync(ca_file),
});
const received = [];

socket.on("open", () => {
  for (const each of send) socket.send(made(each));
});
socket.on("message", (message, isBinary) => {
  if (socket.readyState !== socket.OPEN) return;
  received.push(described(isBinary ? message : message.toString()));
  if (received.length === messages) socket.close(1000);
});
socket.on("close", (code) => {
  const { extensions, protocol } = socket;
  print({ messages: received, extensions, protocol, close_code: code });
});
