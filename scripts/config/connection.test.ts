import { createPrivateKey } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectionSettings, settingNames } from "../../schemas/connection.ts";
import type { TargetConfig } from "../../schemas/contracts/config.ts";
import { makeCertificate } from "../../test/support/certificates.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { readConnection } from "./connection.ts";

const folder = await temporaryFolder("connection");
const [one, other] = [makeCertificate(), makeCertificate()];
const cipher = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" } as const;
const files = {
  "one.pem": one.certificate,
  "other.pem": other.certificate,
  "other.key": other.key,
  "encrypted.key": createPrivateKey(one.key).export(cipher),
  "text.pem": "no certificate",
};
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);

const read = (env: NodeJS.ProcessEnv, own?: object) =>
  readConnection(
    { own: own as TargetConfig | undefined, env, place: "targets.qa", folder, cwd: folder },
    "https://catalog.example/v1",
  );

test.each(settingNames)("%s and its variable are documented", async (name) => {
  const text = await readFile(new URL("../../docs/networks.md", import.meta.url), "utf8");
  expect(text).toContain(`\`${name}`);
  for (const variable of connectionSettings[name].variable.split(", ")) expect(text).toContain(variable);
});

test("the authorities of this machine's system are marked, since a pod has a system of its own", () => {
  const { ca, caOfSystem } = read({ SHELFCHECK_CA: "one.pem", SSL_CERT_FILE: "other.pem" });
  expect([ca, caOfSystem]).toEqual([[one.certificate, other.certificate], [other.certificate]]);
});

const [certificate, key] = ["SHELFCHECK_CLIENT_CERTIFICATE", "SHELFCHECK_CLIENT_KEY"] as const;
test.each([
  [{}, { clientCertificate: "one.pem", clientKey: "other.key" }, /targets\.qa\.\w+, targets\.qa\.clientKey/],
  [{ [certificate]: "one.pem", [key]: "other.key" }, undefined, `${certificate}, ${key}`],
  [{ [key]: "other.key" }, undefined, `is set: ${key}`],
  [
    { [certificate]: "one.pem", [key]: "encrypted.key" },
    undefined,
    /passphrase: .*openssl pkey -in KEY -out/,
  ],
  [{ SHELFCHECK_CA: "none.pem" }, undefined, /none\.pem cannot be read: SHELFCHECK_CA/],
  [{}, { ca: "text.pem" }, /text\.pem is not in PEM format: targets\.qa\.ca/],
])("%j and %j: a message names what was given, a variable or a field of the config", (env, own, message) => {
  expect(() => read(env, own)).toThrow(message);
});
