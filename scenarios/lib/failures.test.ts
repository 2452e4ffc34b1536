import { describe, expect, test } from "vitest";
import { failureOf, lostAt } from "./failures.ts";

const without = (code: number, error: string) => ({
  status: 0,
  error_code: code,
  error,
  headers: {},
  body: null,
});

describe("a request without a response, by what k6 reports", () => {
  test.each<[code: number, error: string, failure: string, isLost: boolean]>([
    [1212, "dial: connection refused", "refused", false],
    [1220, "read: connection reset by peer", "reset", false],
    [1000, "EOF", "reset", false],
    [1050, "request timeout", "silent", false],
    [1211, "dial: i/o timeout", "silent", false],
    [1310, "x509: unknown authority", "TLS", false],
    [1101, "lookup: no such host", "unknown host", true],
    [1000, "lookup catalog.internal: no such host", "unknown host", true],
    [1213, "dial: unknown errno 113 error with msg `no route to host`", "unreachable", true],
    [1213, "dial: unknown errno 101 error with msg `network is unreachable`", "unreachable", true],
    [1213, "dial: unknown errno 24 error with msg `too many open files`", "open files", true],
    [1213, "dial: unknown errno 99 error with msg `cannot assign requested address`", "no free port", true],
    [1000, "proxyconnect tcp: dial tcp 127.0.0.1:9: connect: connection refused", "proxy", true],
    [1000, "Proxy Authentication Required", "proxy", true],
  ])("%i %s", (code, error, failure, isLost) => {
    expect(failureOf({ error_code: code, error })).toBe(failure);
    // What cannot have reached the target is no failure of the service.
    expect(lostAt(without(code, error))).toBe(isLost ? failure : undefined);
  });

  test("a body that cannot be decompressed was sent by the service", () => {
    expect(lostAt(without(1701, "gzip: invalid header"))).toBeUndefined();
  });
});

test("a gateway's response is lost at the gateway, the service's own is not", () => {
  const response = { status: 413, error_code: 1413, error: "", body: "<html><hr>nginx</html>" };
  const headers = { "Content-Type": "text/html", Server: "nginx" };
  expect(lostAt({ ...response, body: "<hr><center>nginx</center>", headers })).toBe("nginx");
  expect(lostAt({ ...response, headers: { "Content-Type": "application/json" } })).toBeUndefined();
});
