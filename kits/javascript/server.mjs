// Reads the environment variables of a server, and starts it: docs/contract.md, section 4.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createSecureContext } from "node:tls";

import { exitWith, read, readChoice, readCount, readOrExit, SettingsError } from "./variables.mjs";

/** The longest message that a server must accept, whatever the default of its library. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Calls `serve` with the settings; an exception ends the program. */
export function runServer(serve) {
  const settings = readOrExit(readServer);
  try {
    serve(settings);
  } catch (error) {
    exitWith(1, error.message);
  }
}

/** Reads the variables of a server; throws a SettingsError that names a wrong one. */
export function readServer(environment) {
  return {
    host: read(environment, "HOST", "127.0.0.1"),
    port: readCount(environment, "PORT", undefined, 65_535),
    tls: readTls(environment),
    deflate: readChoice(environment, "COMPRESSION", ["", "deflate"]) === "deflate",
  };
}

/** Reads certificate and key; returns null without TLS. */
function readTls(environment) {
  if (environment.TLS_CERT === undefined && environment.TLS_KEY === undefined) return null;
  const certFile = read(environment, "TLS_CERT");
  const keyFile = read(environment, "TLS_KEY");
  try {
    const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    createSecureContext(tls);
    // Some libraries take the contents, others the paths of the files.
    return { ...tls, certFile, keyFile };
  } catch (error) {
    throw new SettingsError(
      `TLS_CERT and TLS_KEY must be a certificate and its key: ${error.message}`,
    );
  }
}

/** Returns a server of Node.js for HTTP requests, over TLS if there is a certificate. */
export function createHttpServer({ tls }) {
  const server = tls ? createTlsServer(tls) : createServer();
  return server.on("error", (error) => exitWith(1, error.message));
}
