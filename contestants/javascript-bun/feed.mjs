// Sends a feed with Bun's server: publish and subscribe.

import { EventEmitter, once } from "node:events";

import { Subscribers } from "../../kits/javascript/feeding.mjs";

const TOPIC = "feed";
// A continuous feed waits for a subscriber with more buffered bytes than this.
const BUFFERED_MAX = 64 * 1024;

/** Publishes the feed to the subscribers. */
export class Publisher {
  /** The return value of Bun.serve. */
  server;
  #subscribers;
  #isCompressed;
  #subscribed = new EventEmitter();

  constructor(settings) {
    this.#isCompressed = settings.deflate;
    this.#subscribers = new Subscribers(settings.feed, (feed) => this.#publish(feed));
  }

  join(ws) {
    ws.subscribe(TOPIC);
    ws.data.leave = this.#subscribers.join(ws);
  }

  leave(ws) {
    ws.data.leave();
    this.changed();
  }

  /** Call this when a subscriber has received data or is gone. */
  changed() {
    this.#subscribed.emit("change");
  }

  async #publish(feed) {
    for await (const message of feed) {
      this.server.publish(TOPIC, message, this.#isCompressed);
      while (feed.isContinuous && feed.subscribed.some(isFull)) await once(this.#subscribed, "change");
    }
    for (const ws of feed.subscribed) ws.close(1000);
  }
}

function isFull(ws) {
  return ws.getBufferedAmount() > BUFFERED_MAX;
}
