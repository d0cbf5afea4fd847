// Reads single environment variables, and ends the program if one is wrong.

/** Thrown for a variable that is missing or wrong; its message begins with the variable's name. */
export class SettingsError extends Error {}

/** Reads settings from the environment; if a variable is wrong, ends the program with status 2. */
export function readOrExit(readFrom) {
  try {
    return readFrom(process.env);
  } catch (error) {
    if (error instanceof SettingsError) exitWith(2, error.message);
    throw error;
  }
}

/** Prints the reason on stderr, in one line, and ends the program. */
export function exitWith(status, reason) {
  console.error(reason.trim().split("\n")[0]);
  process.exit(status);
}

/** Reads URL, the server's address. */
export function readUrl(environment) {
  const url = read(environment, "URL");
  if (!isWebSocketUrl(url)) throw wrong("URL", url, "like ws://127.0.0.1:8008/1000");
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
export function readCount(environment, variable, byDefault, maximum = 1e15 - 1) {
  const value = read(environment, variable, byDefault);
  if (!/^[1-9][0-9]{0,14}$/.test(value) || Number(value) > maximum) {
    throw wrong(variable, value, `a whole number from 1 to ${maximum}`);
  }
  return Number(value);
}

/** Reads a variable with a fixed set of values; the first one is the default. */
export function readChoice(environment, variable, choices) {
  const value = read(environment, variable, choices[0]);
  if (!choices.includes(value)) {
    throw wrong(variable, value, choices.map((choice) => JSON.stringify(choice)).join(" or "));
  }
  return value;
}

/** Reads a variable; without a default it is required. */
export function read(environment, variable, byDefault) {
  const value = environment[variable] ?? byDefault;
  if (value === undefined) throw new SettingsError(`${variable} is not set`);
  return value;
}

/** Returns the error for a wrong value. */
export function wrong(variable, value, rule) {
  return new SettingsError(`${variable} must be ${rule}, not ${JSON.stringify(value)}`);
}
