import { expect, test } from "vitest";
import { isOwnNetwork, type LoadPermission, requireLoadAllowed } from "./load-permission.ts";

const own =
  "localhost api.localhost 127.0.0.1 127.8.9.1 [::1] 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.3.4";
const ownToo =
  "169.254.169.254 100.64.0.1 [fd12::1] [fe80::1] [::ffff:10.0.0.1] catalog catalog.internal catalog.shop.svc";
const ownDomains = "catalog.default.svc.cluster.local nas.home.arpa catalog.lan.";
const others = "catalog.example.com catalog.staging.example 8.8.8.8 172.32.0.1 172.15.0.1 192.169.0.1";
const othersToo =
  "100.128.0.1 11.0.0.1 [2001:db8::1] [::ffff:8.8.8.8] localhost.example.com 10.0.0.1.example.com local.com";

test.each(`${own} ${ownToo} ${ownDomains}`.split(" "))("%s is this machine or a private network", (host) => {
  expect(isOwnNetwork(new URL(`http://${host}/`).hostname)).toBe(true);
});

test.each(`${others} ${othersToo}`.split(" "))("%s may be public", (host) => {
  expect(isOwnNetwork(new URL(`http://${host}/`).hostname)).toBe(false);
});

const baseUrl = "https://catalog.example.com/v1";
const bare = { baseUrl, name: "staging", file: "shelfcheck.config.ts" };
const elsewhere = { ...bare, allowedBaseUrl: "https://staging.example.com/v1" };

test.each<[LoadPermission, "load" | "burst", string]>([
  [bare, "load", "add this line to targets.staging in shelfcheck.config.ts: allowLoad: true"],
  [bare, "burst", 'avoid: ["burst"], or skip the section limits'],
  [{ baseUrl }, "load", "name it with --target"],
  // allowLoad does not apply to an address from a flag or the environment.
  [elsewhere, "load", "applies to staging.example.com"],
  [
    { ...elsewhere, baseUrl: "https://staging.example.com:8443/v1" },
    "load",
    "applies to staging.example.com",
  ],
  ...["true", "1", "example.com", "catalog.example.com.evil.com"].map(
    (allowedHosts): [LoadPermission, "load", string] => [
      { ...bare, allowedHosts },
      "load",
      "SHELFCHECK_ALLOW_LOAD=catalog.example.com",
    ],
  ),
])("%j: a %s is refused with the line to add", (permission, pressure, message) => {
  expect(() => requireLoadAllowed({ permission }, pressure)).toThrow(message);
});

test.each([
  undefined,
  { ...bare, allowedBaseUrl: "https://catalog.example.com/v1/" },
  { ...bare, allowedHosts: "example.com, Catalog.Example.com" },
])("%j: load is allowed", (permission) => {
  requireLoadAllowed(permission === undefined ? {} : { permission }, "load");
});
