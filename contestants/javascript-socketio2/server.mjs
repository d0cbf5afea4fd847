// Echoes messages and sends a feed with the server of Socket.IO 2.

import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";

import Server from "socket.io";
import { Subscribers } from "../../kits/javascript/feeding.mjs";
import { PAYLOAD_BYTES_MAX, serverSettingsFromEnvironment } from "../../kits/javascript/serving.mjs";
import { runWorkers } from "../../kits/javascript/workers.mjs";
import { publish } from "./feed.mjs";

const settings = serverSettingsFromEnvironment();
runWorkers(settings.workers, serve);

function serve() {
  const server = settings.tls ? createTlsServer(settings.tls) : createServer();
  const io = new Server(server, {
    perMessageDeflate: settings.deflate,
    // Off, as the contract requires.
    httpCompression: false,
    // The contract requires packets of up to 32 MiB.
    maxHttpBufferSize: 2 * PAYLOAD_BYTES_MAX,
  });
  const subscribers = new Subscribers(settings.feed, (feed) => publish(feed, io.of("/feed")));

  io.of("/echo").on("connection", (socket) => {
    socket.on("message", (data) => socket.send(data));
  });

  io.of("/feed").on("connection", (socket) => {
    socket.on("disconnect", subscribers.join(socket));
  });

  server.listen(settings.port, settings.host);
}
