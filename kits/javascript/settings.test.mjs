// Tests of reading the environment.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readSettings, SettingsError } from "./settings.mjs";

test("reads the environment", () => {
  const environment = { URL: "ws://127.0.0.1:8008/5", MESSAGES: "5" };
  const settings = { url: "ws://127.0.0.1:8008/5", messages: 5, connections: 1, lines: "json" };
  assert.deepEqual(readSettings(environment), settings);
  assert.deepEqual(readSettings({ ...environment, CONNECTIONS: "3", LINES: "autoroute" }), {
    ...settings,
    connections: 3,
    lines: "autoroute",
  });
});

test("names the variable that is missing or ill-formed", () => {
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
    assert.throws(
      () => readSettings(environment),
      (error) => {
        assert.ok(error instanceof SettingsError);
        assert.ok(error.message.startsWith(`${variable} `), error.message);
        assert.ok(!error.message.includes("\n"), error.message);
        return true;
      },
    );
  }
});
