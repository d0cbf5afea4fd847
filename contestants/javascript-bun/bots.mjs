// Bots with the WebSocket of Bun.

import { Bots } from "../../kits/javascript/bots.mjs";

export function sendWhenDue() {
  const bots = Bots.fromEnvironment();

  for (let connection = 0; connection < bots.connections; connection += 1) {
    // Off: the contract forbids compression; the library offers it by default.
    const ws = new WebSocket(bots.url, { perMessageDeflate: false });
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
