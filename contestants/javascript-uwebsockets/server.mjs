// Echoes messages and sends a feed with uWebSockets.js.

import * as uWS from "uws-pack";
import { PAYLOAD_BYTES_MAX, serverSettingsFromEnvironment } from "../../kits/javascript/serving.mjs";
import { runWorkers } from "../../kits/javascript/workers.mjs";
import { feedBehavior } from "./feed.mjs";

const settings = serverSettingsFromEnvironment();
runWorkers(settings.workers, serve);

function serve() {
  const { tls } = settings;
  const app = tls
    ? uWS.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
    : uWS.App();
  const options = {
    compression: settings.deflate ? uWS.SHARED_COMPRESSOR : uWS.DISABLED,
    // The contract requires messages of up to 16 MiB and forbids dropping. The library's defaults
    // are 16 KiB, and to drop messages for a peer with more than 64 KiB of backpressure; 0 means no
    // limit.
    maxPayloadLength: PAYLOAD_BYTES_MAX,
    maxBackpressure: 0,
  };

  app.ws("/echo", {
    ...options,
    message: (ws, message, isBinary) => ws.send(message, isBinary, settings.deflate),
  });
  if (settings.feed) app.ws("/feed", { ...options, ...feedBehavior(app, settings) });

  app.listen(settings.host, settings.port, (isListening) => {
    if (isListening) return;
    console.error(`cannot listen on ${settings.host}:${settings.port}: is the port taken?`);
    process.exit(1);
  });
}
