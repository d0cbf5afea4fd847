// Tests of a server's settings and of its TLS.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect } from "node:tls";

import { createHttpServer, readServer } from "./server.mjs";
import { SettingsError } from "./variables.mjs";

const folder = mkdtempSync(join(tmpdir(), "kit-"));
after(() => rmSync(folder, { recursive: true }));

test("reads the environment", () => {
  const least = { host: "127.0.0.1", port: 8008, tls: null, deflate: false };
  assert.deepEqual(readServer({ PORT: "8008" }), least);
  const given = { HOST: "::1", PORT: "65535", COMPRESSION: "deflate" };
  assert.deepEqual(readServer(given), { host: "::1", port: 65_535, tls: null, deflate: true });
});

test("names the variable that is missing or wrong", () => {
  for (const [variable, given] of [
    ["PORT", { PORT: undefined }],
    ["PORT", { PORT: "65536" }],
    ["COMPRESSION", { COMPRESSION: "gzip" }],
    ["TLS_KEY", { TLS_CERT: "certificate.pem" }],
    ["TLS_CERT", { TLS_KEY: "key.pem" }],
    ["TLS_CERT", { TLS_CERT: "none.pem", TLS_KEY: "none.pem" }],
  ]) {
    assert.throws(() => readServer({ PORT: "8008", ...given }), {
      constructor: SettingsError,
      message: new RegExp(`^${variable} [^\n]+$`),
    });
  }
});

test("with a certificate and its key it speaks TLS", async () => {
  const [certFile, keyFile] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const files = ["-out", certFile, "-keyout", keyFile];
  execFileSync("openssl", ["req", "-x509", "-subj", "/CN=localhost", ...key, ...files], {
    stdio: "ignore",
  });
  const settings = readServer({ PORT: "8008", TLS_CERT: certFile, TLS_KEY: keyFile });
  const server = createHttpServer(settings).listen(0, "127.0.0.1");
  await once(server, "listening");
  const peer = connect({ port: server.address().port, rejectUnauthorized: false });
  await once(peer, "secureConnect");
  peer.destroy();
  server.close();
});
