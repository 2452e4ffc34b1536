import { expect, test } from "vitest";
import type { Connection } from "../../schemas/connection.ts";
import type { TargetConfig } from "../../schemas/contracts/config.ts";
import { curlSettings } from "./curl-settings.ts";

const https = "https://catalog.example.com/v1";
const cwd = "/home/qa/catalog";

interface Given {
  readonly own?: Partial<TargetConfig>;
  readonly env?: NodeJS.ProcessEnv;
  readonly baseUrl?: string;
  readonly connection?: Connection;
}

/** The options and, after them, the names of their variables. */
function curled({ own, env = {}, baseUrl = https, connection = {} }: Given) {
  const sources = { own: own && { baseUrl, ...own }, env, place: "targets.x", folder: `${cwd}/config`, cwd };
  return curlSettings(sources, baseUrl, connection);
}

const proxied = "http://qa:secret-of-the-proxy@proxy.internal:3128/";

test.each<[string, Given, options: string[], variables: string[]]>([
  [
    "a proxy of the config with credentials",
    {
      own: { proxy: "http://proxy.internal:3128", proxyCredentials: "LOGIN" },
      connection: { proxy: proxied },
    },
    ["--proxy", "http://proxy.internal:3128", "--proxy-user", "$LOGIN"],
    ["LOGIN"],
  ],
  [
    "a proxy of the environment, whose address may hold a password",
    { env: { HTTPS_PROXY: proxied }, connection: { proxy: proxied } },
    ["--proxy", "$HTTPS_PROXY"],
    ["HTTPS_PROXY"],
  ],
  [
    "none, although the environment has one",
    { own: { proxy: "none" }, env: { https_proxy: proxied } },
    ["--noproxy", "*"],
    [],
  ],
  [
    "files of the config, relative to the working directory",
    { own: { ca: "root.pem", clientCertificate: "../qa.pem", clientKey: "/etc/qa.key" } },
    ["--cacert", "config/root.pem", "--cert", "qa.pem", "--key", "../../../etc/qa.key"],
    [],
  ],
  [
    "files and a passphrase of the environment",
    {
      env: { NODE_EXTRA_CA_CERTS: "/a.pem", SHELFCHECK_CLIENT_KEY: "/k.pem", PASS: "secret-of-the-key" },
      own: { clientKeyPassphrase: "PASS" },
      connection: { clientKey: "-----BEGIN PRIVATE KEY-----" },
    },
    ["--cacert", "$NODE_EXTRA_CA_CERTS", "--key", "$SHELFCHECK_CLIENT_KEY", "--pass", "$PASS"],
    ["NODE_EXTRA_CA_CERTS", "SHELFCHECK_CLIENT_KEY", "PASS"],
  ],
  [
    "an unchecked certificate, and HTTP/1.1",
    { connection: { insecure: true, http2: false } },
    ["--insecure", "--http1.1"],
    [],
  ],
])("%s", (_name, given, options, variables) => {
  expect(curled(given)).toEqual({ options, variables });
});

test("another server name replaces the host of the URL", () => {
  const connection = { serverName: "catalog.internal" };
  expect(curled({ baseUrl: "https://10.0.0.9:8443/v1", connection })).toEqual({
    options: ["--connect-to", "catalog.internal:8443:10.0.0.9:8443"],
    variables: [],
    origin: { from: "https://10.0.0.9:8443", to: "https://catalog.internal:8443" },
  });
});

test("a plain connection needs no options, and TLS settings do not apply to http", () => {
  expect(curled({})).toBeUndefined();
  expect(curled({ baseUrl: "http://catalog/v1", own: { ca: "root.pem" } })).toBeUndefined();
});
