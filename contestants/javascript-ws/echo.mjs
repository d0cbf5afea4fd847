// Exchanges echoes with ws.

import WebSocket from "ws";
import { Exchanger } from "../../kits/javascript/exchanger.mjs";

export function exchange() {
  const exchanger = Exchanger.fromEnvironment();

  for (let connection = 0; connection < exchanger.connections; connection += 1) {
    // The contract forbids compression; the library offers it by default.
    const ws = new WebSocket(exchanger.url, { perMessageDeflate: false });
    let isOngoing = true;

    ws.on("error", (error) => {
      if (isOngoing) exchanger.fail(error);
    });

    ws.on("open", () => {
      exchanger.opened();
      ws.send(exchanger.payload);
    });

    ws.on("message", (data, isBinary) => {
      isOngoing = exchanger.answered(data, isBinary);
      if (isOngoing) ws.send(exchanger.payload);
      else ws.close(1000);
    });

    ws.on("close", (code) => {
      if (isOngoing) exchanger.fail(new Error(`closed by the server with ${code}`));
      exchanger.closed();
    });
  }
}
