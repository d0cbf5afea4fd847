// Reads and validates single environment variables.

export class SettingsError extends Error {}

/** Reads settings; if a variable is wrong, exits with status 2 and the reason. */
export function readOrExit(readFrom, environment) {
  try {
    return readFrom(environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/** Reads URL, the server's address. */
export function readUrl(environment) {
  const url = read(environment, "URL");
  if (!isWebSocketUrl(url)) {
    throw new SettingsError(`URL must be like ws://127.0.0.1:8008/1000, not ${JSON.stringify(url)}`);
  }
  return url;
}

function isWebSocketUrl(url) {
  try {
    return ["ws:", "wss:"].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

/** Reads a whole number from 1 to `maximum`. */
export function readCount(environment, variable, fallback, maximum = 1e15 - 1) {
  const value = read(environment, variable, fallback);
  if (!/^[1-9][0-9]{0,14}$/.test(value)) {
    throw new SettingsError(`${variable} must be a whole number from 1, not ${JSON.stringify(value)}`);
  }
  if (Number(value) > maximum) {
    throw new SettingsError(`${variable} must be at most ${maximum}, not ${value}`);
  }
  return Number(value);
}

/** Reads a number of seconds. */
export function readSeconds(environment, variable, fallback) {
  const value = read(environment, variable, fallback);
  if (!/^[0-9]{1,6}(\.[0-9]{1,9})?$/.test(value)) {
    throw new SettingsError(`${variable} must be seconds like 2 or 0.5, not ${JSON.stringify(value)}`);
  }
  return Number(value);
}

/** Reads a number of seconds greater than 0. */
export function readTime(environment, variable) {
  const seconds = readSeconds(environment, variable);
  if (seconds === 0) throw new SettingsError(`${variable} must be more than 0: nothing would count`);
  return seconds;
}

/** Reads EVERY_MS, the interval of a schedule; returns nanoseconds. */
export function readIntervalNs(environment) {
  const value = read(environment, "EVERY_MS");
  if (!/^[0-9]{1,7}(\.[0-9]{1,6})?$/.test(value) || Number(value) === 0) {
    throw new SettingsError(
      `EVERY_MS must be milliseconds like 50 or 0.5, not ${JSON.stringify(value)}`,
    );
  }
  // The value has at most six decimals, so rounding is exact.
  return BigInt(Math.round(Number(value) * 1e6));
}

/** Reads a variable with a fixed set of values; the first one is the default. */
export function readChoice(environment, variable, choices) {
  const value = read(environment, variable, choices[0]);
  if (!choices.includes(value)) {
    throw new SettingsError(`${variable} must be ${choices.join(" or ")}, not ${JSON.stringify(value)}`);
  }
  return value;
}

/** Reads a variable; without a default it is required. */
export function read(environment, variable, fallback) {
  const value = environment[variable] ?? fallback;
  if (value === undefined) {
    throw new SettingsError(`${variable} is missing: set it in the environment`);
  }
  return value;
}
