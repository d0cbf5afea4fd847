// Starts a browser without a window, on a page that receives the messages in place of the program.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { readClient } from "./client.mjs";
import { nowNs } from "./clock.mjs";
import { exitWith, readOrExit } from "./variables.mjs";

/** What the page imports; its own clock takes the place of the program's. */
const MODULES = {
  "/kit/client.mjs": "client.mjs",
  "/kit/clock.mjs": "page-clock.mjs",
  "/kit/variables.mjs": "variables.mjs",
};

/**
 * Opens a page in a browser, prints the result that the page posts, and ends the browser.
 *
 * `page` is the URL of its file. `command` returns the command of the browser for an empty folder as
 * its profile, the address of the page, and the host of the server to connect to.
 */
export async function runBrowser(page, command) {
  const settings = readOrExit(readClient);
  const profile = mkdtempSync(join(tmpdir(), "browser-"));
  let browser;
  let finish = () => exitWith(1, `${settings.url}: the browser has ended`);

  /** Ends the browser, which is a process group, and then the program by `next`. */
  const stop = (next) => {
    finish = next;
    process.kill(-browser.pid, "SIGKILL");
  };

  const address = await serve(page, {
    "/settings": () => JSON.stringify(settings),
    "/clock": () => String(nowNs()),
    "/result": (line) => {
      process.stdout.write(line);
      stop(() => process.exit(0));
    },
    "/failure": (reason) => stop(() => exitWith(1, `${settings.url}: ${reason}`)),
  });
  const { hostname } = new URL(settings.url);
  // Should this program be killed, so is the browser.
  const guarded = ["--pdeathsig", "KILL", ...command(profile, address, hostname)];
  browser = spawn("setpriv", guarded, { stdio: ["ignore", "ignore", "pipe"], detached: true });
  browser.stderr.pipe(process.stderr);
  process.on("SIGTERM", () => stop(() => process.exit(1)));
  // All its processes have its stderr, so that this event comes when the last one has ended.
  browser.on("close", () => {
    rmSync(profile, { recursive: true });
    finish();
  });
}

/** Serves the page, its modules and answers to its requests; returns the page's address. */
async function serve(page, answers) {
  const files = { "/": page };
  for (const [path, file] of Object.entries(MODULES)) files[path] = new URL(file, import.meta.url);
  const server = createServer(async (request, response) => {
    const file = files[request.url];
    const answer = answers[request.url];
    response.writeHead(file || answer ? 200 : 404, {
      "Content-Type": request.url === "/" ? "text/html" : "text/javascript",
      // With these two, the page's clock has its best resolution.
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    response.end(file ? readFileSync(file) : answer?.(await text(request)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}/`;
}
