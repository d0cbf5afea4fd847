// Serves with uWebSockets.js, as its examples show: a handler for each event, and a topic that
// subscribers subscribe to.

import * as uWS from "uws-pack";
import { MESSAGE_BYTES_MAX, runServer } from "../../kits/javascript/server.mjs";
import { exitWith } from "../../kits/javascript/variables.mjs";

const TOPIC = "messages";

runServer(({ host, port, tls, deflate }) => {
  const app = tls
    ? uWS.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
    : uWS.App();
  const options = {
    compression: deflate ? uWS.SHARED_COMPRESSOR : uWS.DISABLED,
    // The contract requires messages of up to 16 MiB; the library's default is 16 KiB.
    maxPayloadLength: MESSAGE_BYTES_MAX,
  };

  app.ws("/echo", {
    ...options,
    // The contract requires every echo. By default, the library drops messages for a peer with more
    // than 64 KiB of backpressure; 0 means no limit.
    maxBackpressure: 0,
    message: (ws, message, isBinary) => ws.send(message, isBinary, deflate),
  });
  app.ws("/publish", {
    ...options,
    message: (ws, message, isBinary) => app.publish(TOPIC, message, isBinary, deflate),
  });
  app.ws("/subscribe", { ...options, open: (ws) => ws.subscribe(TOPIC) });

  app.listen(host, port, (isListening) => {
    if (!isListening) exitWith(1, `cannot listen on ${host}:${port}: is the port taken?`);
  });
});
