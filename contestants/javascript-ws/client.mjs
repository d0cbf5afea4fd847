// Receives with ws.

import WebSocket from "ws";
import { Receiver } from "../../kits/javascript/receiver.mjs";
import { readWorkload } from "../../kits/javascript/settings.mjs";
import { readOrExit } from "../../kits/javascript/variables.mjs";
import { sendWhenDue } from "./bots.mjs";
import { exchange } from "./echo.mjs";

const workloads = { receive, echo: exchange, bots: sendWhenDue };
workloads[readOrExit(readWorkload, process.env)]();

function receive() {
  const receiver = Receiver.fromEnvironment();
  let connected = receiver.connections;

  for (let connection = 0; connection < receiver.connections; connection += 1) {
    // Off: the contract forbids compression; the library offers it by default.
    const ws = new WebSocket(receiver.url, { perMessageDeflate: false });
    let received;

    // It does not open, or the library refuses a message; a lost connection is no error.
    ws.on("error", (error) => receiver.fail(error));

    ws.on("open", () => {
      received = receiver.opened();
    });

    ws.on("message", (data, isBinary) => {
      if (received(data, isBinary)) ws.close(1000);
    });

    ws.on("close", () => {
      connected -= 1;
      if (connected === 0) receiver.finish();
    });
  }
}
