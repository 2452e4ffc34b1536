import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { proxyFor } from "../config/connection.ts";
import { environmentForTarget } from "./connection-variables.ts";

const folder = await temporaryFolder("connection");

test.each([
  ["catalog.example.com", ".example.com", "catalog.example.com"],
  ["example.com", ".example.com", "example.com"],
  ["[fd00::1]", "fd00:0::1 example.com", "fd00::1"],
])("what shelfcheck reaches directly, k6 does too: %s, NO_PROXY=%s", async (host, NO_PROXY, name) => {
  const env = { HTTP_PROXY: "http://proxy.internal:3128", NO_PROXY };
  const baseUrl = `http://${host}:8080/v1`;
  expect(proxyFor(baseUrl, env)).toBeUndefined();
  const direct = `${NO_PROXY.replace(" ", ",")},${name}`;
  expect(await environmentForTarget({ baseUrl }, env, "")).toMatchObject({
    NO_PROXY: direct,
    no_proxy: direct,
  });
});

test("a proxy that shelfcheck uses, k6 uses too", async () => {
  const env = { HTTP_PROXY: "http://a:1", http_proxy: "http://b:2", NO_PROXY: "10.0.0.0/8,x" };
  const baseUrl = "http://10.1.2.3/v1";
  const proxy = proxyFor(baseUrl, env);
  const used = { HTTP_PROXY: "http://b:2/", http_proxy: "http://b:2/", NO_PROXY: "x", no_proxy: "x" };
  expect(await environmentForTarget({ baseUrl, connection: { proxy } }, env, "")).toMatchObject(used);
});

test("only a target or a proxy over TLS gets a file of trusted authorities", async () => {
  const ca = ["-----BEGIN CERTIFICATE-----"];
  const withFile = async (baseUrl: string, proxy?: string) =>
    "SSL_CERT_FILE" in (await environmentForTarget({ baseUrl, connection: { ca, proxy } }, {}, folder));
  expect(await withFile("http://127.0.0.1:9/v1")).toBe(false);
  expect(await withFile("https://127.0.0.1:9/v1")).toBe(true);
  expect(await withFile("http://127.0.0.1:9/v1", "https://proxy.internal:3128/")).toBe(true);
});
