// Sends a feed with Socket.IO: all sockets of a namespace are subscribers.

import { Server } from "socket.io";
import { Subscribers } from "../../../kits/javascript/published/feeding.mjs";
import { feedSettings } from "../../../kits/javascript/published/settings.mjs";
import { createHttpServer, MESSAGE_BYTES_MAX, runServer } from "../../../kits/javascript/server.mjs";

// Messages of a continuous feed after which the last one must be acknowledged.
const ACKNOWLEDGED_MESSAGES = 16;

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
  io.of("/echo").on("connection", (socket) => {
    socket.on("message", (data) => socket.send(data));
  });
  if (feedSettings) addFeed(io);
  server.listen(settings.port, settings.host);
});

function addFeed(io) {
  const namespace = io.of("/feed");
  const subscribers = new Subscribers(feedSettings, (feed) => publish(feed, namespace));
  namespace.on("connection", (socket) => {
    socket.on("disconnect", subscribers.join(socket));
  });
}

async function publish(feed, namespace) {
  let number = 0;
  for await (const message of feed) {
    number += 1;
    if (feed.isContinuous && number % ACKNOWLEDGED_MESSAGES === 0) {
      await Promise.all(feed.subscribed.map((socket) => sendAcknowledged(socket, message)));
    } else {
      namespace.send(message);
    }
  }
  for (const socket of feed.subscribed) socket.disconnect(true);
}

/** Sends a message and waits until it is acknowledged or the subscriber is gone. */
function sendAcknowledged(socket, message) {
  return new Promise((resolve) => {
    socket.on("disconnect", resolve);
    // Sending never waits: only acknowledgements let the slowest subscriber limit the send rate.
    socket.send(message, () => {
      socket.off("disconnect", resolve);
      resolve();
    });
  });
}
