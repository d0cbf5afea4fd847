// Exchanges echoes with Bun's WebSocket.

import { Exchanger } from "../../kits/javascript/exchanger.mjs";

export function exchange() {
  const exchanger = Exchanger.fromEnvironment();

  for (let connection = 0; connection < exchanger.connections; connection += 1) {
    // The contract forbids compression; the library offers it by default.
    const ws = new WebSocket(exchanger.url, { perMessageDeflate: false });
    let isOngoing = true;

    ws.addEventListener("error", (event) => {
      if (isOngoing) exchanger.fail(event);
    });

    ws.addEventListener("open", () => {
      exchanger.opened();
      ws.send(exchanger.payload);
    });

    ws.addEventListener("message", ({ data }) => {
      isOngoing = exchanger.answered(data, typeof data !== "string");
      if (isOngoing) ws.send(exchanger.payload);
      else ws.close(1000);
    });

    ws.addEventListener("close", ({ code }) => {
      if (isOngoing) exchanger.fail(new Error(`closed by the server with ${code}`));
      exchanger.closed();
    });
  }
}
