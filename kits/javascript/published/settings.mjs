// Reads the environment variables of a feed: docs/published.md.

import { readFileSync } from "node:fs";

import { read, readCount, readOrExit, SettingsError, wrong } from "../variables.mjs";
import { parseStocks, readFeedFormat } from "./feed.mjs";

/** The settings of the feed; null if FEED is not set. */
export const feedSettings = readOrExit(readFeedSettings);

/** Reads the variables of a feed; throws a SettingsError that names a wrong one. */
export function readFeedSettings(environment) {
  if (environment.FEED === undefined) return null;
  const format = readFeedFormat(environment);
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
    durationNs: isTimed ? readDurationNs(environment) : null,
    messages: isTimed ? Infinity : readCount(environment, "MESSAGES"),
  };
  try {
    stocksOfMessage(settings, 0);
  } catch (error) {
    throw new SettingsError(`STOCKS_FILE ${error.message}`);
  }
  return settings;
}

/** Reads the file again and returns the records of a message. */
export function stocksOfMessage({ stocks, stocksFile }, number) {
  if (stocksFile === null) return [];
  const rows = parseStocks(readFileSync(stocksFile, "utf8"));
  const first = number % rows.length;
  return Array.from({ length: stocks }, (_, index) => rows[(first + index) % rows.length]);
}

function readDurationNs(environment) {
  const value = read(environment, "SECONDS");
  if (!/^[0-9]{1,6}(\.[0-9]{1,9})?$/.test(value) || Number(value) === 0) {
    throw wrong("SECONDS", value, "seconds like 2 or 0.5");
  }
  return BigInt(Math.round(Number(value) * 1e9));
}

function readIntervalNs(environment) {
  const value = read(environment, "EVERY_MS");
  if (!/^[0-9]{1,7}(\.[0-9]{1,6})?$/.test(value) || Number(value) === 0) {
    throw wrong("EVERY_MS", value, "milliseconds like 50 or 0.5");
  }
  // The value has at most six decimals, so rounding is exact.
  return BigInt(Math.round(Number(value) * 1e6));
}
