// Sends a feed with the server of Socket.IO 2: all sockets of a namespace are subscribers.

import Server from "socket.io";
import { feedFromEnvironment } from "../../../kits/javascript/published/settings.mjs";
import { addFeed } from "../../../kits/javascript/published/socket-io.mjs";
import { createHttpServer, MESSAGE_BYTES_MAX, runServer } from "../../../kits/javascript/server.mjs";

runServer((settings) => {
  const server = createHttpServer(settings);
  const io = new Server(server, {
    perMessageDeflate: settings.deflate,
    // By default, responses to HTTP requests are compressed.
    httpCompression: false,
    // The contract requires messages of up to 16 MiB. A byte has up to six in JSON; the default is
    // 100 MB.
    maxHttpBufferSize: 7 * MESSAGE_BYTES_MAX,
  });
  io.of("/echo").on("connection", (socket) => {
    socket.on("message", (data) => socket.send(data));
  });
  addFeed(io.of("/feed"), feedFromEnvironment());
  server.listen(settings.port, settings.host);
});
