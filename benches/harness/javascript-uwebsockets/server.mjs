// The smallest program that echoes with uWebSockets.js.

import * as uWS from "uws-pack";

const { HOST, PORT } = process.env;

uWS
  .App()
  .ws("/echo", { message: (ws, message, isBinary) => ws.send(message, isBinary) })
  .listen(HOST, Number(PORT), (isListening) => {
    if (!isListening) process.exit(1);
  });
