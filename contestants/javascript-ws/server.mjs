// Serves with ws, as its README shows: several servers share one HTTP server, and one of them
// broadcasts.

import { WebSocket, WebSocketServer } from "ws";
import { createHttpServer, runServer } from "../../kits/javascript/server.mjs";

runServer((settings) => {
  const options = {
    noServer: true,
    perMessageDeflate: settings.deflate,
    // The contract sets no limit; the default is 16,384 fragments of a message.
    maxFragments: 0,
  };
  const echo = new WebSocketServer(options);
  const publish = new WebSocketServer(options);
  const subscribe = new WebSocketServer(options);
  const paths = new Map([
    ["/echo", echo],
    ["/publish", publish],
    ["/subscribe", subscribe],
  ]);

  echo.on("connection", (ws) => {
    ws.on("message", (data, isBinary) => ws.send(data, { binary: isBinary }));
  });

  publish.on("connection", (ws) => {
    ws.on("message", (data, isBinary) => {
      for (const client of subscribe.clients) {
        if (client.readyState === WebSocket.OPEN) client.send(data, { binary: isBinary });
      }
    });
  });

  const server = createHttpServer(settings);
  server.on("upgrade", (request, socket, head) => {
    const wss = paths.get(request.url);
    if (!wss) {
      socket.destroy();
      return;
    }
    wss.handleUpgrade(request, socket, head, (ws) => {
      ws.on("error", (error) => console.error(error.message));
      wss.emit("connection", ws, request);
    });
  });
  server.listen(settings.port, settings.host);
});
