// Receives messages with socket.io-client.

import { Receiver } from "../../kits/javascript/receiver.mjs";
import { readWorkload } from "../../kits/javascript/settings.mjs";
import { readOrExit } from "../../kits/javascript/variables.mjs";
import { exchange } from "./echo.mjs";
import { connect } from "./session.mjs";

const workloads = { receive, echo: exchange };
workloads[readOrExit(readWorkload, process.env)]();

function receive() {
  const receiver = Receiver.fromEnvironment();
  let connected = receiver.connections;

  for (let connection = 0; connection < receiver.connections; connection += 1) {
    const socket = connect(receiver.url);
    let received;

    socket.on("connect_error", (error) => receiver.fail(error));

    socket.on("connect", () => {
      received = receiver.opened();
    });

    socket.on("message", (data, acknowledge) => {
      const isOver = received(data, typeof data !== "string");
      acknowledge?.();
      if (isOver) socket.disconnect();
    });

    socket.on("disconnect", (reason) => {
      if (!received) receiver.fail(new Error(reason));
      connected -= 1;
      if (connected === 0) receiver.finish();
    });
  }
}
