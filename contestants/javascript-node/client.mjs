// Receives messages with the WebSocket of Node.js.

import { Receiver } from "../../kits/javascript/receiver.mjs";
import { readWorkload } from "../../kits/javascript/settings.mjs";
import { readChoice, readOrExit } from "../../kits/javascript/variables.mjs";
import { connect, connectWithOffer } from "./connect.mjs";
import { exchange } from "./echo.mjs";

const readCompression = (environment) => readChoice(environment, "COMPRESSION", ["off", "deflate"]);

const workloads = { receive, echo: exchange };
workloads[readOrExit(readWorkload, process.env)]();

function receive() {
  const receiver = Receiver.fromEnvironment();
  const offers = readOrExit(readCompression, process.env) === "deflate";
  let connected = receiver.connections;

  for (let connection = 0; connection < receiver.connections; connection += 1) {
    const ws = offers ? connectWithOffer(receiver.url) : connect(receiver.url);
    let received;

    ws.addEventListener("error", (event) => {
      // After the handshake, an error is a normal end of a connection.
      if (received) console.error(event.message);
      else receiver.fail(event);
    });

    ws.addEventListener("open", () => {
      received = receiver.opened();
    });

    ws.addEventListener("message", ({ data }) => {
      const isBinary = typeof data !== "string";
      if (received(isBinary ? Buffer.from(data) : data, isBinary)) ws.close(1000);
    });

    ws.addEventListener("close", () => {
      connected -= 1;
      if (connected === 0) receiver.finish();
    });
  }
}
