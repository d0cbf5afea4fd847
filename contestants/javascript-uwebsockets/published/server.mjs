// Sends a feed with uWebSockets.js, as its examples show: a topic that subscribers subscribe to.

import { EventEmitter, once } from "node:events";

import * as uWS from "uws-pack";
import { Subscribers } from "../../../kits/javascript/published/feeding.mjs";
import { feedFromEnvironment } from "../../../kits/javascript/published/settings.mjs";
import { MESSAGE_BYTES_MAX, runServer } from "../../../kits/javascript/server.mjs";
import { exitWith } from "../../../kits/javascript/variables.mjs";

const TOPIC = "feed";
// A continuous feed waits for a subscriber with more buffered bytes than this.
const BUFFERED_MAX = 64 * 1024;

runServer(({ host, port, tls, deflate }) => {
  const app = tls
    ? uWS.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
    : uWS.App();
  const options = {
    compression: deflate ? uWS.SHARED_COMPRESSOR : uWS.DISABLED,
    // The contract requires messages of up to 16 MiB; the library's default is 16 KiB.
    maxPayloadLength: MESSAGE_BYTES_MAX,
    // A feed has every message. By default, the library drops messages for a peer with more than
    // 64 KiB of backpressure; 0 means no limit.
    maxBackpressure: 0,
  };
  app.ws("/echo", {
    ...options,
    message: (ws, message, isBinary) => ws.send(message, isBinary, deflate),
  });
  addFeed(app, options, deflate);
  app.listen(host, port, (isListening) => {
    if (!isListening) exitWith(1, `cannot listen on ${host}:${port}: is the port taken?`);
  });
});

function addFeed(app, options, isCompressed) {
  const subscribed = new EventEmitter();
  const subscribers = new Subscribers(feedFromEnvironment(), publish);

  async function publish(feed) {
    for await (const message of feed) {
      app.publish(TOPIC, message, typeof message !== "string", isCompressed);
      while (feed.isContinuous && feed.subscribed.some(isFull)) await once(subscribed, "change");
    }
    for (const ws of feed.subscribed) ws.end(1000);
  }

  app.ws("/feed", {
    ...options,
    open: (ws) => {
      ws.subscribe(TOPIC);
      ws.getUserData().leave = subscribers.join(ws);
    },
    drain: () => subscribed.emit("change"),
    close: (ws) => {
      ws.getUserData().leave();
      subscribed.emit("change");
    },
  });
}

function isFull(ws) {
  return ws.getBufferedAmount() > BUFFERED_MAX;
}
