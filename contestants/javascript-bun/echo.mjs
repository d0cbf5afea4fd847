// Exchanges echoes with the WebSocket of Bun.

import { Exchanger } from "../../kits/javascript/exchanger.mjs";

export function exchange() {
  const exchanger = Exchanger.fromEnvironment();

  for (let connection = 0; connection < exchanger.connections; connection += 1) {
    // Off: the contract forbids compression; the library offers it by default.
    const ws = new WebSocket(exchanger.url, { perMessageDeflate: false });
    let isWanted = true;

    ws.addEventListener("error", (event) => {
      if (isWanted) exchanger.fail(event);
    });

    ws.addEventListener("open", () => {
      exchanger.opened();
      ws.send(exchanger.payload);
    });

    ws.addEventListener("message", ({ data }) => {
      isWanted = exchanger.answered(data, typeof data !== "string");
      if (isWanted) ws.send(exchanger.payload);
      else ws.close(1000);
    });

    ws.addEventListener("close", ({ code }) => {
      if (isWanted) exchanger.fail(new Error(`closed by the server with ${code}`));
      exchanger.closed();
    });
  }
}
