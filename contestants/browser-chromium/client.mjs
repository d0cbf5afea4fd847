// Starts Chromium without a window, on a page that receives the messages: client.html.

import { runBrowser } from "../../kits/javascript/browser.mjs";

runBrowser(new URL("client.html", import.meta.url), (profile, page, host) => [
  "chromium",
  "--headless",
  `--user-data-dir=${profile}`,
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Nothing but the page and the server is asked for.
  `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE ${host}`,
  // Root cannot have Chromium's sandbox.
  ...(process.getuid() === 0 ? ["--no-sandbox"] : []),
  page,
]);
