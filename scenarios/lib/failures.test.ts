import { describe, expect, test } from "vitest";
import { failureOf, lostAt } from "./failures.ts";

const without = (code: number, error: string) => ({
  status: 0,
  error_code: code,
  error,
  headers: {},
  body: null,
  timings: { duration: 0 },
});

describe("a request without a response, by what k6 reports", () => {
  test.each<[code: number, error: string, failure: string, isLost: boolean]>([
    [1212, "dial: connection refused", "refused", false],
    [1220, "read: connection reset by peer", "reset", false],
    [1000, "EOF", "reset", false],
    [1050, "request timeout", "silent", false],
    [1211, "dial: i/o timeout", "silent", false],
    [1310, "x509: unknown authority", "TLS", false],
    [1000, "x509: certificate has expired or is not yet valid: current time", "TLS", false],
    [1010, "remote error: tls: handshake failure", "TLS", false],
    [1010, "local error: tls: bad record MAC", "reset", false],
    [1000, 'malformed HTTP response "SSH-2.0"', "not HTTP", false],
    [1000, "invalid byte in chunk length", "not HTTP", false],
    [1000, "http chunk length too large", "beyond k6", true],
    [1000, "header line too long", "beyond k6", true],
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

  describe("a time-out after 10 s on an HTTP/2 connection that requests share", () => {
    const waitedFor = (seconds: number, code = 1050, error = "request timeout") =>
      lostAt({ ...without(code, error), timings: { duration: seconds * 1000 } }, 10_000);

    test("is lost on the way if the connection ended: k6 sent it again late, or not at all", () => {
      expect([0, 1.5, 4.5, 6.9].map((seconds) => waitedFor(seconds))).toEqual(
        Array(4).fill("shared connection"),
      );
    });

    test("is the service's failure if it was under way for nearly all of that time", () => {
      expect([7.5, 9.5, 10].map((seconds) => waitedFor(seconds))).toEqual([undefined, undefined, undefined]);
      expect(waitedFor(0, 1212, "dial: connection refused")).toBeUndefined();
    });
  });

  test("a body that cannot be decompressed was sent by the service", () => {
    expect(lostAt(without(1701, "gzip: invalid header"))).toBeUndefined();
  });
});

describe("an outage", () => {
  const page = {
    error_code: 1502,
    error: "",
    body: "<hr><center>nginx</center>",
    timings: { duration: 3 },
  };
  const headers = { "Content-Type": "text/html", Server: "nginx" };

  test("is lost on the way unless it is in the service's shape, whatever its text names", () => {
    expect(lostAt({ ...page, status: 502, headers })).toBe("gateway");
    expect(lostAt({ ...page, status: 503, body: "busy", headers: {} })).toBe("gateway");
    expect(lostAt({ ...page, status: 502, headers, body: '{"error":{"code":"x"}}' })).toBeUndefined();
  });

  test("is none with any other status", () => {
    for (const status of [200, 403, 413, 429, 500])
      expect(lostAt({ ...page, status, headers })).toBeUndefined();
  });
});
