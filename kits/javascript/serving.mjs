// Reads the environment variables of a server: docs/contract.md, section 8.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

import { parseStocks, readFeedFormat } from "./feed.mjs";
import {
  read,
  readChoice,
  readCount,
  readIntervalNs,
  readOrExit,
  readTime,
  SettingsError,
} from "./variables.mjs";

/** Largest payload that a server must accept, whatever the default of its library. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

/** Reads the environment variables, or exits with status 2 and the reason if one is wrong. */
export function serverSettingsFromEnvironment() {
  return readOrExit(readServerSettings, process.env);
}

/** Reads the variables of a server; throws a SettingsError that names a wrong one. */
export function readServerSettings(environment) {
  return {
    host: read(environment, "HOST", "127.0.0.1"),
    port: readCount(environment, "PORT", undefined, 65_535),
    tls: readTls(environment),
    workers: readCount(environment, "WORKERS", "1"),
    deflate: readChoice(environment, "COMPRESSION", ["", "deflate"]) === "deflate",
    feed: readFeedSettings(environment),
  };
}

/** Reads certificate and key; returns null without TLS. */
function readTls(environment) {
  const { TLS_CERT, TLS_KEY } = environment;
  if (TLS_CERT === undefined && TLS_KEY === undefined) return null;
  if (TLS_CERT === undefined) throw new SettingsError("TLS_CERT is missing: TLS_KEY is set");
  if (TLS_KEY === undefined) throw new SettingsError("TLS_KEY is missing: TLS_CERT is set");
  try {
    const tls = { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) };
    createSecureContext(tls);
    // Some libraries take the contents, others the paths of the files.
    return { ...tls, certFile: TLS_CERT, keyFile: TLS_KEY };
  } catch (error) {
    throw new SettingsError(
      `TLS_CERT and TLS_KEY must be a certificate and its key: ${error.message}`,
    );
  }
}

/** Reads the variables of a feed; returns null if FEED is not set. */
function readFeedSettings(environment) {
  const format = readFeedFormat(environment);
  if (!format) return null;
  const isTimed = environment.SECONDS !== undefined;
  if (isTimed === (environment.MESSAGES !== undefined)) {
    throw new SettingsError("MESSAGES or SECONDS: set exactly one of them");
  }
  const settings = {
    format,
    stocks: readCount(environment, "STOCKS", "1", 1_000_000),
    stocksFile: format.kind === "stocks" ? read(environment, "STOCKS_FILE") : null,
    subscribers: readCount(environment, "SUBSCRIBERS", "1"),
    // Null: continuous.
    everyNs: environment.EVERY_MS === undefined ? null : readIntervalNs(environment),
    durationNs: isTimed ? BigInt(Math.round(readTime(environment, "SECONDS") * 1e9)) : null,
    messages: isTimed ? Infinity : readCount(environment, "MESSAGES"),
  };
  try {
    stocksOfMessage(settings, 0);
  } catch (error) {
    throw new SettingsError(`STOCKS_FILE ${error.message}`);
  }
  return settings;
}

/** Reads the file again and returns the records of a message: docs/contract.md, clause 7.1. */
export function stocksOfMessage({ stocks, stocksFile }, number) {
  if (stocksFile === null) return [];
  const rows = parseStocks(readFileSync(stocksFile, "utf8"));
  const first = number % rows.length;
  return Array.from({ length: stocks }, (_, index) => rows[(first + index) % rows.length]);
}
