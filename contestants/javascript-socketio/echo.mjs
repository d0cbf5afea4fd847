// Exchanges echoes with socket.io-client.

import { Exchanger } from "../../kits/javascript/exchanger.mjs";
import { connect } from "./session.mjs";

export function exchange() {
  const exchanger = Exchanger.fromEnvironment();

  for (let connection = 0; connection < exchanger.connections; connection += 1) {
    const socket = connect(exchanger.url);
    let isOngoing = true;

    socket.on("connect_error", (error) => exchanger.fail(error));

    socket.on("connect", () => {
      exchanger.opened();
      socket.send(exchanger.payload);
    });

    socket.on("message", (data, acknowledge) => {
      isOngoing = exchanger.answered(data, typeof data !== "string");
      acknowledge?.();
      if (isOngoing) socket.send(exchanger.payload);
      else socket.disconnect();
    });

    socket.on("disconnect", (reason) => {
      if (isOngoing) exchanger.fail(new Error(reason));
      exchanger.closed();
    });
  }
}
