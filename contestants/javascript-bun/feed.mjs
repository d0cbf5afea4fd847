// Feeds an audience with the server of Bun: its publish and subscribe.

import { EventEmitter, once } from "node:events";

import { Audience } from "../../kits/javascript/feeding.mjs";

const TOPIC = "feed";
// A continuous feed waits for a member for which the library keeps more than this.
const BUFFERED_MAX = 64 * 1024;

/** Publishes the feed to those who have joined. */
export class Publisher {
  /** What Bun.serve returns. */
  server;
  #audience;
  #isCompressed;
  #members = new EventEmitter();

  constructor(settings) {
    this.#isCompressed = settings.deflate;
    this.#audience = new Audience(settings.feed, (feed) => this.#publish(feed));
  }

  join(ws) {
    ws.subscribe(TOPIC);
    ws.data.leave = this.#audience.join(ws);
  }

  leave(ws) {
    ws.data.leave();
    this.changed();
  }

  /** Notes that a member has taken something, or is gone. */
  changed() {
    this.#members.emit("change");
  }

  async #publish(feed) {
    for await (const message of feed) {
      this.server.publish(TOPIC, message, this.#isCompressed);
      while (feed.isContinuous && feed.members.some(isFull)) await once(this.#members, "change");
    }
    for (const ws of feed.members) ws.close(1000);
  }
}

function isFull(ws) {
  return ws.getBufferedAmount() > BUFFERED_MAX;
}
