// Echoes messages and sends a feed with ws.

import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";

import { WebSocketServer } from "ws";
import { Subscribers } from "../../kits/javascript/feeding.mjs";
import { PAYLOAD_BYTES_MAX, serverSettingsFromEnvironment } from "../../kits/javascript/serving.mjs";
import { runWorkers } from "../../kits/javascript/workers.mjs";

// A continuous feed waits for a subscriber with more buffered bytes than this.
const BUFFERED_MAX = 64 * 1024;

const settings = serverSettingsFromEnvironment();
const subscribers = new Subscribers(settings.feed, publish);
runWorkers(settings.workers, serve);

async function publish(feed) {
  for await (const message of feed) {
    for (const ws of feed.subscribed) {
      if (!feed.isContinuous || ws.bufferedAmount < BUFFERED_MAX) ws.send(message);
      else await new Promise((sent) => ws.send(message, sent));
    }
  }
  for (const ws of feed.subscribed) ws.close(1000);
}

function serve() {
  const server = settings.tls ? createTlsServer(settings.tls) : createServer();
  const wss = new WebSocketServer({
    server,
    perMessageDeflate: settings.deflate,
    // The contract requires 16 MiB; the library's default is 100 MiB.
    maxPayload: PAYLOAD_BYTES_MAX,
  });

  wss.on("connection", (ws, request) => {
    ws.on("error", (error) => console.error(error.message));
    if (request.url === "/feed") ws.on("close", subscribers.join(ws));
    else ws.on("message", (data, isBinary) => ws.send(data, { binary: isBinary }));
  });

  server.listen(settings.port, settings.host);
}
