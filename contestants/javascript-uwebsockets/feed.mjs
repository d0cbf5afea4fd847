// Sends a feed with uWebSockets.js: publish and subscribe.

import { EventEmitter, once } from "node:events";

import { Subscribers } from "../../kits/javascript/feeding.mjs";

const TOPIC = "feed";
// A continuous feed waits for a subscriber with more buffered bytes than this.
const BUFFERED_MAX = 64 * 1024;

/** Returns the handlers for subscribers. */
export function feedBehavior(app, settings) {
  const subscribed = new EventEmitter();
  const subscribers = new Subscribers(settings.feed, publish);

  async function publish(feed) {
    for await (const message of feed) {
      app.publish(TOPIC, message, typeof message !== "string", settings.deflate);
      while (feed.isContinuous && feed.subscribed.some(isFull)) await once(subscribed, "change");
    }
    for (const ws of feed.subscribed) ws.end(1000);
  }

  return {
    open: (ws) => {
      ws.subscribe(TOPIC);
      ws.getUserData().leave = subscribers.join(ws);
    },
    drain: () => subscribed.emit("change"),
    close: (ws) => {
      ws.getUserData().leave();
      subscribed.emit("change");
    },
  };
}

function isFull(ws) {
  return ws.getBufferedAmount() > BUFFERED_MAX;
}
