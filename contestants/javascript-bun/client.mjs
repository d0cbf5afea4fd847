// Receives messages with Bun's WebSocket.

import { Receiver } from "../../kits/javascript/receiver.mjs";
import { readWorkload } from "../../kits/javascript/settings.mjs";
import { readChoice, readOrExit } from "../../kits/javascript/variables.mjs";
import { exchange } from "./echo.mjs";

const readCompression = (environment) => readChoice(environment, "COMPRESSION", ["off", "deflate"]);

const workloads = { receive, echo: exchange };
workloads[readOrExit(readWorkload, process.env)]();

function receive() {
  const receiver = Receiver.fromEnvironment();
  // The contract forbids compression by default; the library would offer it.
  const settings =
    readOrExit(readCompression, process.env) === "deflate" ? {} : { perMessageDeflate: false };
  let connected = receiver.connections;

  for (let connection = 0; connection < receiver.connections; connection += 1) {
    const ws = new WebSocket(receiver.url, settings);
    let received;

    // The handshake failed or the library rejected a message; a lost connection is no error event.
    ws.addEventListener("error", (event) => receiver.fail(event));

    ws.addEventListener("open", () => {
      received = receiver.opened();
    });

    ws.addEventListener("message", ({ data }) => {
      if (received(data, typeof data !== "string")) ws.close(1000);
    });

    ws.addEventListener("close", () => {
      connected -= 1;
      if (connected === 0) receiver.finish();
    });
  }
}
