// Exchanges echoes with the WebSocket of Node.js.

import { Exchanger } from "../../kits/javascript/exchanger.mjs";
import { connect } from "./connect.mjs";

export function exchange() {
  const exchanger = Exchanger.fromEnvironment();

  for (let connection = 0; connection < exchanger.connections; connection += 1) {
    const ws = connect(exchanger.url);
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
