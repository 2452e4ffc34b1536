import { expect, test } from "vitest";
import { UsageError } from "../errors.ts";
import { isLoopback, proxyFor } from "./connection.ts";

const address = "https://catalog.example.com/v1";

test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
  ["no variable", {}, undefined],
  ["the one of the scheme", { HTTP_PROXY: "http://a:1", HTTPS_PROXY: "http://b:2" }, "http://b:2/"],
  ["in small letters first", { https_proxy: "http://a:1", HTTPS_PROXY: "http://b:2" }, "http://a:1/"],
  ["without a scheme", { HTTPS_PROXY: "proxy.example.com:3128" }, "http://proxy.example.com:3128/"],
  ["an empty one is none", { HTTPS_PROXY: "" }, undefined],
  ["the host in NO_PROXY", { HTTPS_PROXY: "http://a:1", NO_PROXY: "x, catalog.example.com" }, undefined],
  ["a domain above it", { HTTPS_PROXY: "http://a:1", NO_PROXY: ".example.com" }, undefined],
  ["all hosts", { HTTPS_PROXY: "http://a:1", no_proxy: "*" }, undefined],
  ["another host that ends alike", { HTTPS_PROXY: "http://a:1", NO_PROXY: "log.example.com" }, "http://a:1/"],
  ["the usual port", { HTTPS_PROXY: "http://a:1", NO_PROXY: "example.com:443" }, undefined],
  ["another port", { HTTPS_PROXY: "http://a:1", NO_PROXY: "example.com:8443" }, "http://a:1/"],
])("%s", (_name, env, expected) => {
  expect(proxyFor(address, env)).toBe(expected);
});

test("loopback addresses are reached directly", () => {
  for (const host of ["localhost", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "api.localhost."]) {
    expect(proxyFor(`http://${host}:8080/v1`, { HTTP_PROXY: "nonsense://" })).toBeUndefined();
  }
  expect(isLoopback("::1")).toBe(true);
});

test.each<[string, string, boolean]>([
  ["10.1.2.3", "10.0.0.0/8", false],
  ["10.1.2.3", "10.1.2.3", true],
  ["10.1.2.3", "10.1.2.3:8080", true],
  ["10.1.2.3", "10.1.2.3:9", false],
  ["[fd00::1]", "[fd00:0::1]", true],
  ["[fd00::1]", "fd00::1", true],
  ["[fd00::2]", "fd00::1", false],
])("%s and NO_PROXY=%s: reached directly is %s", (host, entry, direct) => {
  const env = { HTTP_PROXY: "http://a:1", NO_PROXY: `other, ${entry}` };
  expect(proxyFor(`http://${host}:8080/v1`, env)).toBe(direct ? undefined : "http://a:1/");
});

test.each(["::bad::", "socks5://secret@a:1", "http://", "http://u:secret%p@a:1"])(
  "%s is a mistake that names the variable alone",
  (value) => {
    const refused = () => proxyFor(address, { HTTPS_PROXY: value });
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow("HTTPS_PROXY");
    expect(refused).not.toThrow("secret");
  },
);
