// Reads the environment variables of a client: docs/contract.md, sections 3, 5 and 7.

import { readFeedFormat } from "./feed.mjs";
import {
  read,
  readChoice,
  readCount,
  readSeconds,
  readTime,
  readUrl,
} from "./variables.mjs";

/** Reads the client's workload. */
export function readWorkload(environment) {
  return readChoice(environment, "WORKLOAD", ["receive", "echo"]);
}

/** Reads the variables of a client that receives; throws a SettingsError that names a wrong one. */
export function readSettings(environment) {
  const feed = readFeedFormat(environment);
  const isUnlimited = feed !== null && environment.MESSAGES === undefined;
  return {
    url: readUrl(environment),
    messages: isUnlimited ? Infinity : readCount(environment, "MESSAGES"),
    connections: readCount(environment, "CONNECTIONS", "1"),
    lines: feed ? "json" : readChoice(environment, "LINES", ["json", "autoroute"]),
    feed,
  };
}

/**
 * Reads the variables of a client that exchanges echoes; throws a SettingsError that names a wrong
 * one.
 */
export function readEchoSettings(environment) {
  return {
    windowS: readTime(environment, "WINDOW_S"),
    url: readUrl(environment),
    connections: readCount(environment, "CONNECTIONS", "1"),
    payload: read(environment, "PAYLOAD", "hello world"),
    warmUpS: readSeconds(environment, "WARM_UP_S", "0"),
  };
}
