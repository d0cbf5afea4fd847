// Bots with ws.

import WebSocket from "ws";
import { Bots } from "../../kits/javascript/bots.mjs";

export function sendWhenDue() {
  const bots = Bots.fromEnvironment();

  for (let connection = 0; connection < bots.connections; connection += 1) {
    // Off: the contract forbids compression; the library offers it by default.
    const ws = new WebSocket(bots.url, { perMessageDeflate: false });
    let bot;

    ws.on("error", (error) => {
      if (!bot?.isOver) bots.fail(error);
    });

    ws.on("open", () => {
      bot = bots.opened(
        (event) => ws.send(event),
        () => ws.close(1000),
      );
    });

    ws.on("message", (data, isBinary) => bot.answered(data, isBinary));

    ws.on("close", (code) => {
      if (!bot?.isOver) bots.fail(new Error(`closed by the server with ${code}`));
      bots.closed();
    });
  }
}
