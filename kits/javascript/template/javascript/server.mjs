// Echoes with LIBRARY.

import { PAYLOAD_BYTES_MAX, serverSettingsFromEnvironment } from "../../kits/javascript/serving.mjs";

const settings = serverSettingsFromEnvironment();
// LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to
// PAYLOAD_BYTES_MAX.
// LIBRARY: send each message of a connection to /echo back unchanged.
console.error(`server.mjs lacks the calls of the library: ${settings.port}, ${PAYLOAD_BYTES_MAX}`);
process.exit(1);
