// Reads the environment variables of a feed: docs/published.md.

import { readFileSync } from "node:fs";

import { read, readCount, readOrExit, SettingsError, wrong } from "../variables.mjs";
import { parseStocks, readFeedFormat } from "./feed.mjs";

/** Reads the settings of the feed, or ends the program if a variable is wrong. */
export function feedFromEnvironment() {
  return readOrExit(readFeedSettings);
}

function readFeedSettings(environment) {
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
    everyNs: environment.EVERY_MS === undefined ? null : readTimeNs(environment, "EVERY_MS", 7, 6),
    durationNs: isTimed ? readTimeNs(environment, "SECONDS", 6, 9) : null,
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

/** Reads a time with so many digits before and after its point, in nanoseconds. */
function readTimeNs(environment, variable, digits, decimals) {
  const value = read(environment, variable);
  const form = new RegExp(`^[0-9]{1,${digits}}(\\.[0-9]{1,${decimals}})?$`);
  if (!form.test(value) || Number(value) === 0) throw wrong(variable, value, "a time like 2 or 0.5");
  return BigInt(Math.round(Number(value) * 10 ** decimals));
}
