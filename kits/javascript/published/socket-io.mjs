// Sends a feed to all sockets of a namespace of Socket.IO, whatever the version of its library.

import { Subscribers } from "./feeding.mjs";

// Messages of a continuous feed after which the last one must be acknowledged.
const ACKNOWLEDGED_MESSAGES = 16;

/** Sends a feed of these settings to the sockets that join a namespace, once all have joined. */
export function addFeed(namespace, feedSettings) {
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
