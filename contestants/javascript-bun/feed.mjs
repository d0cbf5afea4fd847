// Sends a feed to subscribers with the server of Bun: its publish and subscribe.

import { EventEmitter, once } from "node:events";

import { Subscribers } from "../../kits/javascript/feeding.mjs";

const TOPIC = "feed";
// A continuous feed waits for a subscriber for which the library keeps more than this.
const BUFFERED_MAX = 64 * 1024;

/** Publishes the feed to those who have joined. */
export class Publisher {
  /** What Bun.serve returns. */
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

  /** Notes that a subscriber has taken something, or is gone. */
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
