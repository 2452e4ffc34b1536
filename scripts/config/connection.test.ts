import { createPrivateKey } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Connection, connectionSettings, settingNames } from "../../schemas/connection.ts";
import type { TargetConfig } from "../../schemas/contracts/config.ts";
import { makeCertificate } from "../../test/support/certificates.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { curlOptions, readConnection } from "./connection.ts";

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
  [{ SHELFCHECK_CA: "none.pem" }, undefined, /none\.pem cannot be read: SHELFCHECK_CA.* begins at /],
  [{}, { ca: "text.pem" }, /text\.pem is not in PEM format: targets\.qa\.ca/],
])("%j and %j: a message names what was given, a variable or a field of the config", (env, own, message) => {
  expect(() => read(env, own)).toThrow(message);
});

const https = "https://catalog.example.com/v1";
const cwd = "/home/qa/catalog";

interface Given {
  readonly own?: Partial<TargetConfig>;
  readonly env?: NodeJS.ProcessEnv;
  readonly baseUrl?: string;
  readonly connection?: Connection;
}

function curled({ own, env = {}, baseUrl = https, connection = {} }: Given) {
  const sources = { own: own && { baseUrl, ...own }, env, place: "targets.x", folder: `${cwd}/config`, cwd };
  return curlOptions(sources, baseUrl, connection);
}

const proxied = "http://qa:secret-of-the-proxy@proxy.internal:3128/";

test.each<[string, Given, options: string[]]>([
  [
    "a proxy, whose address may hold a password",
    { env: { HTTPS_PROXY: proxied }, connection: { proxy: proxied } },
    ["--proxy", "$HTTPS_PROXY"],
  ],
  [
    "none, although the environment has one for other hosts",
    { env: { https_proxy: proxied, NO_PROXY: "example.com" } },
    ["--noproxy", "*"],
  ],
  [
    "files of the config, relative to the working directory",
    { own: { ca: "root.pem", clientCertificate: "../qa.pem", clientKey: "/etc/qa.key" } },
    ["--cacert", "config/root.pem", "--cert", "qa.pem", "--key", "../../../etc/qa.key"],
  ],
  [
    "files of the environment",
    {
      env: { NODE_EXTRA_CA_CERTS: "/a.pem", SHELFCHECK_CLIENT_KEY: "/k.pem" },
      connection: { clientKey: "-----BEGIN PRIVATE KEY-----" },
    },
    ["--cacert", "$NODE_EXTRA_CA_CERTS", "--key", "$SHELFCHECK_CLIENT_KEY"],
  ],
  [
    "an unchecked certificate, and HTTP/1.1",
    { connection: { insecure: true, http2: false } },
    ["--insecure", "--http1.1"],
  ],
])("%s", (_name, given, options) => {
  expect(curled(given)).toEqual(options);
});

test("a plain connection needs no options, and TLS settings do not apply to http", () => {
  expect(curled({})).toBeUndefined();
  expect(curled({ baseUrl: "http://catalog/v1", own: { ca: "root.pem" } })).toBeUndefined();
});
