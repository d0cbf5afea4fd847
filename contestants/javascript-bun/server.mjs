// Echoes messages and sends a feed with Bun's server.

import { PAYLOAD_BYTES_MAX, serverSettingsFromEnvironment } from "../../kits/javascript/serving.mjs";
import { runWorkers } from "../../kits/javascript/workers.mjs";
import { Publisher } from "./feed.mjs";

const settings = serverSettingsFromEnvironment();
runWorkers(settings.workers, serve);

function serve() {
  const publisher = new Publisher(settings);
  publisher.server = listen({
    hostname: settings.host,
    port: settings.port,
    tls: settings.tls ? { cert: settings.tls.cert, key: settings.tls.key } : undefined,
    reusePort: settings.workers > 1,

    fetch(request, server) {
      const isSubscriber = new URL(request.url).pathname === "/feed";
      if (server.upgrade(request, { data: { isSubscriber } })) return undefined;
      return new Response("this is a WebSocket server\n", { status: 426 });
    },

    websocket: {
      perMessageDeflate: settings.deflate,
      // The contract requires messages of up to 16 MiB and forbids dropping. By default, the
      // library drops messages for a peer with more than 16 MiB of buffered data; 0 means no limit.
      maxPayloadLength: PAYLOAD_BYTES_MAX,
      backpressureLimit: 0,

      open(ws) {
        if (ws.data.isSubscriber) publisher.join(ws);
      },
      message(ws, message) {
        if (!ws.data.isSubscriber) ws.send(message, settings.deflate);
      },
      drain(ws) {
        if (ws.data.isSubscriber) publisher.changed();
      },
      close(ws) {
        if (ws.data.isSubscriber) publisher.leave(ws);
      },
    },
  });
}

function listen(options) {
  try {
    return Bun.serve(options);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
