import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { freePort } from "../../test/support/server.ts";
import { dnsVariables, environmentForTarget } from "./connection-variables.ts";

async function listenAt(host: string) {
  const server = createServer((socket) => socket.on("error", () => undefined).destroy()).listen(0, host);
  await once(server, "listening");
  afterAll(() => server.close());
  return (server.address() as AddressInfo).port;
}

const both = async () => [
  { address: "::1", family: 6 },
  { address: "127.0.0.1", family: 4 },
];
const policyAt = (port: number, resolve = both) =>
  dnsVariables(`http://catalog.internal:${port}/v1`, resolve);

describe("a name with addresses of both families", () => {
  test("only IPv6 accepts connections: k6 prefers IPv6", async () => {
    expect(await policyAt(await listenAt("::1"))).toEqual({ K6_DNS: "policy=preferIPv6" });
  });

  test("IPv4 accepts connections: k6 keeps its default", async () => {
    expect(await policyAt(await listenAt("127.0.0.1"))).toEqual({});
  });

  test("none accepts connections: k6 keeps its default", async () => {
    expect(await policyAt(await freePort())).toEqual({});
  });
});

test("nothing is resolved for an address, and a name that does not resolve is left to k6", async () => {
  const never = () => Promise.reject(new Error("resolved"));
  for (const host of ["127.0.0.1", "[::1]"])
    expect(await dnsVariables(`http://${host}:9/v1`, never)).toEqual({});
  expect(await policyAt(9, never)).toEqual({});
});

test("only a target or a proxy over TLS gets a file of trusted authorities", async () => {
  const folder = await mkdtemp(join(tmpdir(), "connection-"));
  const ca = ["-----BEGIN CERTIFICATE-----"];
  const withFile = async (baseUrl: string, proxy?: string) =>
    "SSL_CERT_FILE" in (await environmentForTarget({ baseUrl, connection: { ca, proxy } }, {}, folder));
  expect(await withFile("http://127.0.0.1:9/v1")).toBe(false);
  expect(await withFile("https://127.0.0.1:9/v1")).toBe(true);
  expect(await withFile("http://127.0.0.1:9/v1", "https://proxy.internal:3128/")).toBe(true);
  await rm(folder, { recursive: true });
});
