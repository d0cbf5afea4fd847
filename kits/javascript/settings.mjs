// Reads what the environment asks of a client: docs/contract.md, sections 3 and 5.

export class SettingsError extends Error {}

/** Reads which workload is asked for. */
export function readWorkload(environment) {
  return readChoice(environment, "WORKLOAD", ["receive", "echo"]);
}

/** Reads the variables of a client that receives, or throws a SettingsError that names one. */
export function readSettings(environment) {
  return {
    url: readUrl(environment),
    messages: readCount(environment, "MESSAGES"),
    connections: readCount(environment, "CONNECTIONS", "1"),
    lines: readChoice(environment, "LINES", ["json", "autoroute"]),
  };
}

/** Does the same for a client that exchanges echoes. */
export function readEchoSettings(environment) {
  const windowS = readSeconds(environment, "WINDOW_S");
  if (windowS === 0) throw new SettingsError("WINDOW_S must be more than 0: nothing would count");
  return {
    url: readUrl(environment),
    connections: readCount(environment, "CONNECTIONS", "1"),
    payload: read(environment, "PAYLOAD", "hello world"),
    warmUpS: readSeconds(environment, "WARM_UP_S", "0"),
    windowS,
  };
}

/** Calls one of the above, or exits with status 2 and the reason. */
export function readOrExit(readFrom, environment) {
  try {
    return readFrom(environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

function readUrl(environment) {
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

function readCount(environment, variable, fallback) {
  const value = read(environment, variable, fallback);
  if (!/^[1-9][0-9]{0,14}$/.test(value)) {
    throw new SettingsError(`${variable} must be a whole number from 1, not ${JSON.stringify(value)}`);
  }
  return Number(value);
}

function readSeconds(environment, variable, fallback) {
  const value = read(environment, variable, fallback);
  if (!/^[0-9]{1,6}(\.[0-9]{1,9})?$/.test(value)) {
    throw new SettingsError(`${variable} must be seconds like 2 or 0.5, not ${JSON.stringify(value)}`);
  }
  return Number(value);
}

function readChoice(environment, variable, choices) {
  const value = read(environment, variable, choices[0]);
  if (!choices.includes(value)) {
    throw new SettingsError(`${variable} must be ${choices.join(" or ")}, not ${JSON.stringify(value)}`);
  }
  return value;
}

function read(environment, variable, fallback) {
  const value = environment[variable] ?? fallback;
  if (value === undefined) {
    throw new SettingsError(`${variable} is missing: set it in the environment`);
  }
  return value;
}
