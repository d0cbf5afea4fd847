// The smallest program that receives with ws.

import WebSocket from "ws";

const messages = Number(process.env.MESSAGES);
const ws = new WebSocket(process.env.URL, { perMessageDeflate: false });
let count = 0;

ws.on("message", (data) => {
  if (data.toString()) count += 1;
  if (count === messages) ws.close(1000);
});
