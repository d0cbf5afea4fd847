// The smallest program that echoes with ws.

import { WebSocketServer } from "ws";

const { HOST, PORT } = process.env;
const wss = new WebSocketServer({ host: HOST, port: Number(PORT) });

wss.on("connection", (ws) => {
  ws.on("message", (data, isBinary) => ws.send(data, { binary: isBinary }));
});
