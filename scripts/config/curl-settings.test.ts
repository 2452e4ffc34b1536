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
    "a proxy, whose address may hold a password",
    { env: { HTTPS_PROXY: proxied }, connection: { proxy: proxied } },
    ["--proxy", "$HTTPS_PROXY"],
    ["HTTPS_PROXY"],
  ],
  [
    "none, although the environment has one for other hosts",
    { env: { https_proxy: proxied, NO_PROXY: "example.com" } },
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
    "files of the environment",
    {
      env: { NODE_EXTRA_CA_CERTS: "/a.pem", SHELFCHECK_CLIENT_KEY: "/k.pem" },
      connection: { clientKey: "-----BEGIN PRIVATE KEY-----" },
    },
    ["--cacert", "$NODE_EXTRA_CA_CERTS", "--key", "$SHELFCHECK_CLIENT_KEY"],
    ["NODE_EXTRA_CA_CERTS", "SHELFCHECK_CLIENT_KEY"],
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

test("a plain connection needs no options, and TLS settings do not apply to http", () => {
  expect(curled({})).toBeUndefined();
  expect(curled({ baseUrl: "http://catalog/v1", own: { ca: "root.pem" } })).toBeUndefined();
});
