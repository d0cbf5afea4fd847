// Sends a feed to subscribers with Socket.IO's server: everybody in a namespace.

// Of a continuous feed: so many messages, and the last is acknowledged before the next.
const PACE_MESSAGES = 16;

export async function publish(feed, namespace) {
  let number = 0;
  for await (const message of feed) {
    number += 1;
    if (feed.isContinuous && number % PACE_MESSAGES === 0) {
      await Promise.all(feed.subscribed.map((socket) => taken(socket, message)));
    } else {
      namespace.send(message);
    }
  }
  for (const socket of feed.subscribed) socket.disconnect(true);
}

/** Sends a message, and waits until it is acknowledged, or the subscriber is gone. */
function taken(socket, message) {
  return new Promise((resolve) => {
    socket.on("disconnect", resolve);
    // Sending waits for nobody: without acknowledgements nobody would set the pace.
    socket.send(message, () => {
      socket.off("disconnect", resolve);
      resolve();
    });
  });
}
