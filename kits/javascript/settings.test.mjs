// Tests of a client's settings.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readEchoSettings, readSettings, readWorkload } from "./settings.mjs";
import { SettingsError } from "./variables.mjs";

test("reads the environment", () => {
  const environment = { URL: "ws://127.0.0.1:8008/5", MESSAGES: "5" };
  const settings = { url: "ws://127.0.0.1:8008/5", messages: 5, connections: 1, lines: "json", feed: null };
  assert.deepEqual(readSettings(environment), settings);
  assert.deepEqual(readSettings({ ...environment, CONNECTIONS: "3", LINES: "autoroute" }), {
    ...settings,
    connections: 3,
    lines: "autoroute",
  });
});

test("names the variable that is missing or malformed", () => {
  const cases = [
    ["URL", undefined],
    ["URL", ""],
    ["URL", "127.0.0.1:8008"],
    ["URL", "http://127.0.0.1:8008/5"],
    ["URL", "ws://"],
    ["URL", "ws://127.0.0.1:eight/"],
    ["MESSAGES", undefined],
    ["MESSAGES", ""],
    ["MESSAGES", "0"],
    ["MESSAGES", "-1"],
    ["MESSAGES", "1_000"],
    ["MESSAGES", "1e6"],
    ["MESSAGES", "5\n"],
    ["MESSAGES", "9".repeat(16)],
    ["CONNECTIONS", "0"],
    ["CONNECTIONS", "two"],
    ["LINES", "JSON"],
    ["LINES", ""],
  ];
  for (const [variable, value] of cases) {
    const environment = { URL: "ws://127.0.0.1:8008/5", MESSAGES: "5", [variable]: value };
    assertNames(variable, () => readSettings(environment));
  }
});

test("reads the settings of an exchange", () => {
  const environment = { URL: "ws://127.0.0.1:8008/echo", WINDOW_S: "2" };
  const settings = {
    url: "ws://127.0.0.1:8008/echo",
    connections: 1,
    payload: "hello world",
    warmUpS: 0,
    windowS: 2,
  };
  assert.deepEqual(readEchoSettings(environment), settings);
  const all = { CONNECTIONS: "3", PAYLOAD: "grüezi", WARM_UP_S: "0.5", WINDOW_S: "1.25" };
  assert.deepEqual(readEchoSettings({ ...environment, ...all }), {
    ...settings,
    connections: 3,
    payload: "grüezi",
    warmUpS: 0.5,
    windowS: 1.25,
  });
});

test("names the variable of an exchange that is missing or malformed", () => {
  const cases = [
    ["URL", undefined],
    ["CONNECTIONS", "0"],
    ["WARM_UP_S", "-1"],
    ["WARM_UP_S", "1e3"],
    ["WARM_UP_S", ""],
    ["WINDOW_S", undefined],
    ["WINDOW_S", "0"],
    ["WINDOW_S", "0.0"],
    ["WINDOW_S", "NaN"],
    ["WINDOW_S", "two"],
    ["WINDOW_S", "1000000"],
  ];
  for (const [variable, value] of cases) {
    const environment = { URL: "ws://127.0.0.1:8008/echo", WINDOW_S: "2", [variable]: value };
    assertNames(variable, () => readEchoSettings(environment));
  }
});

test("receives unless the workload is echo", () => {
  assert.equal(readWorkload({}), "receive");
  assert.equal(readWorkload({ WORKLOAD: "echo" }), "echo");
  assertNames("WORKLOAD", () => readWorkload({ WORKLOAD: "sing" }));
});

function assertNames(variable, readFrom) {
  assert.throws(readFrom, (error) => {
    assert.ok(error instanceof SettingsError);
    assert.ok(error.message.startsWith(`${variable} `), error.message);
    assert.ok(!error.message.includes("\n"), error.message);
    return true;
  });
}
