// Feeds an audience with uWebSockets.js: its publish and subscribe.

import { EventEmitter, once } from "node:events";

import { Audience } from "../../kits/javascript/feeding.mjs";

const TOPIC = "feed";
// A continuous feed waits for a member for which the library keeps more than this.
const BUFFERED_MAX = 64 * 1024;

/** Returns the handlers of those who want the feed. */
export function feedBehavior(app, settings) {
  const members = new EventEmitter();
  const audience = new Audience(settings.feed, publish);

  async function publish(feed) {
    for await (const message of feed) {
      app.publish(TOPIC, message, typeof message !== "string", settings.deflate);
      while (feed.isContinuous && feed.members.some(isFull)) await once(members, "change");
    }
    for (const ws of feed.members) ws.end(1000);
  }

  return {
    open: (ws) => {
      ws.subscribe(TOPIC);
      ws.getUserData().leave = audience.join(ws);
    },
    drain: () => members.emit("change"),
    close: (ws) => {
      ws.getUserData().leave();
      members.emit("change");
    },
  };
}

function isFull(ws) {
  return ws.getBufferedAmount() > BUFFERED_MAX;
}
