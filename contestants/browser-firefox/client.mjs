// Starts Firefox without a window, on a page that receives the messages: client.html.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { runBrowser } from "../../kits/javascript/browser.mjs";

/** Nothing but the page and the server is asked for, and the page's clock is not coarsened. */
const PREFERENCES = {
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.safebrowsing.downloads.remote.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "privacy.reduceTimerPrecision": false,
  "services.settings.server": "http://127.0.0.1:1",
  "toolkit.telemetry.server": "",
};

const command = (profile, page) => {
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, "user.js"), lines.join(""));
  return ["firefox-esr", "--headless", "--no-remote", "--profile", profile, page];
};

runBrowser(new URL("client.html", import.meta.url), command);
