// Serves with Socket.IO, as its documentation shows: a listener for each event in a namespace,
// and messages to all of a namespace.

import { Server } from "socket.io";
import { createHttpServer, MESSAGE_BYTES_MAX, runServer } from "../../kits/javascript/server.mjs";

runServer((settings) => {
  const server = createHttpServer(settings);
  const io = new Server(server, {
    perMessageDeflate: settings.deflate,
    // By default, responses to HTTP requests are compressed.
    httpCompression: false,
    // The contract requires messages of up to 16 MiB. A byte has up to six in JSON; the default is
    // 1 MB.
    maxHttpBufferSize: 7 * MESSAGE_BYTES_MAX,
  });
  const subscribers = io.of("/subscribe");

  io.of("/echo").on("connection", (socket) => {
    socket.on("message", (data) => socket.send(data));
  });

  io.of("/publish").on("connection", (socket) => {
    socket.on("message", (data) => subscribers.send(data));
  });

  server.listen(settings.port, settings.host);
});
