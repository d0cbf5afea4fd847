// Bots with the WebSocket of Node.js.

import { Bots } from "../../kits/javascript/bots.mjs";
import { connect } from "./connect.mjs";

export function sendWhenDue() {
  const bots = Bots.fromEnvironment();

  for (let connection = 0; connection < bots.connections; connection += 1) {
    const ws = connect(bots.url);
    let bot;

    ws.addEventListener("error", (event) => {
      if (!bot?.isOver) bots.fail(event);
    });

    ws.addEventListener("open", () => {
      bot = bots.opened(
        (event) => ws.send(event),
        () => ws.close(1000),
      );
    });

    ws.addEventListener("message", ({ data }) => bot.answered(data, typeof data !== "string"));

    ws.addEventListener("close", ({ code }) => {
      if (!bot?.isOver) bots.fail(new Error(`closed by the server with ${code}`));
      bots.closed();
    });
  }
}
