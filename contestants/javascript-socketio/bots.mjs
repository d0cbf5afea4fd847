// Bots with socket.io-client.

import { Bots } from "../../kits/javascript/bots.mjs";
import { connect } from "./session.mjs";

export function sendWhenDue() {
  const bots = Bots.fromEnvironment();

  for (let connection = 0; connection < bots.connections; connection += 1) {
    const socket = connect(bots.url);
    let bot;

    socket.on("connect_error", (error) => bots.fail(error));

    socket.on("connect", () => {
      bot = bots.opened(
        (event) => socket.send(event),
        () => socket.disconnect(),
      );
    });

    socket.on("message", (data, acknowledge) => {
      bot.answered(data, typeof data !== "string");
      acknowledge?.();
    });

    socket.on("disconnect", (reason) => {
      if (!bot?.isOver) bots.fail(new Error(reason));
      bots.closed();
    });
  }
}
