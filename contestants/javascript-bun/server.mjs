// Serves with Bun, as its documentation shows: handlers for all connections, and a topic that
// subscribers subscribe to.

import { runServer } from "../../kits/javascript/server.mjs";

const TOPIC = "messages";
const PATHS = ["/echo", "/publish", "/subscribe"];

runServer(({ host, port, tls, deflate }) => {
  const server = Bun.serve({
    hostname: host,
    port,
    tls: tls ? { cert: tls.cert, key: tls.key } : undefined,

    fetch(request, server) {
      const { pathname } = new URL(request.url);
      if (!PATHS.includes(pathname)) return new Response("no such path\n", { status: 404 });
      if (server.upgrade(request, { data: { pathname } })) return undefined;
      return new Response("this is a WebSocket server\n", { status: 426 });
    },

    websocket: {
      perMessageDeflate: deflate,
      // The contract requires every echo. By default, the library drops messages for a peer with more
      // than 16 MiB of buffered data; 0 means no limit.
      backpressureLimit: 0,

      open(ws) {
        if (ws.data.pathname === "/subscribe") ws.subscribe(TOPIC);
      },
      message(ws, message) {
        if (ws.data.pathname === "/echo") ws.send(message, deflate);
        else if (ws.data.pathname === "/publish") server.publish(TOPIC, message, deflate);
      },
    },
  });
});
