import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { TransportFailure } from "../../schemas/words/transport.ts";
import { deadBaseUrl, type Listening, listen, serve, serveSockets } from "../../test/support/server.ts";
import { stubClient, stubKeys, stubTarget } from "../../test/support/stub-client.ts";
import { retailers } from "./requests.ts";
import { classifyTransportFailure, isUnprocessed, TransportError } from "./transport-error.ts";

afterEach(() => vi.unstubAllEnvs());

const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const tooMuch = Buffer.alloc(8 * 1024 * 1024 + 1, 0x20);

/** Sends one request and returns its failure. */
async function failureAt(baseUrl: string, timeoutMilliseconds = 5000): Promise<TransportError> {
  await using http = stubClient(stubTarget(baseUrl, { timeoutMilliseconds }));
  const failure = await http.send(retailers()).then(
    ({ response }) => expect.fail(`answered ${response.status}`),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(TransportError);
  expect(http.exchanges).toEqual([]);
  return failure as TransportError;
}

function startTlsStub(): Promise<Listening> {
  // Without a certificate every handshake fails.
  const server = createTlsServer({});
  server.on("tlsClientError", () => undefined);
  return listen(server);
}

describe("the failure of a broken target", () => {
  test("nothing listens: refused", async () => {
    const baseUrl = await deadBaseUrl();
    const error = await failureAt(baseUrl);
    expect(error.failure).toBe("refused");
    expect(error.url).toBe(`${baseUrl}/retailers`);
    expect(error.fix).toContain("start the service");
  });

  test("a host that does not resolve: unknown host", async () => {
    for (const name of ["http_proxy", "HTTP_PROXY"]) vi.stubEnv(name, "");
    // A label longer than DNS allows, so no name server is queried.
    const error = await failureAt(`http://${"x".repeat(64)}.invalid/v1`);
    expect(error.failure).toBe("unknown host");
    expect(error.fix).toContain("Correct the base URL");
  });

  test("a connection and nothing more: silent", async () => {
    await using stub = await serveSockets(() => undefined);
    expect((await failureAt(stub.baseUrl, 60)).failure).toBe("silent");
  });

  test("headers and half a body, then nothing: silent", async () => {
    await using stub = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"retailers":');
    });
    expect((await failureAt(stub.baseUrl, 60)).failure).toBe("silent");
  });

  test("an endless slow body: silent after the time for one complete response", async () => {
    await using stub = await serveSockets((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const drip = setInterval(() => socket.write("1\r\n \r\n"), 5);
      socket.on("close", () => clearInterval(drip));
    });
    expect((await failureAt(stub.baseUrl, 100)).failure).toBe("silent");
  });

  test("closed before any response: reset", async () => {
    await using stub = await serveSockets((socket) => void socket.once("data", () => socket.end()));
    expect((await failureAt(stub.baseUrl)).failure).toBe("reset");
  });

  test.each(["destroy", "resetAndDestroy"] as const)("half a body, then %s: reset", async (how) => {
    await using stub = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"retailers":', () => response.socket?.[how]());
    });
    const error = await failureAt(stub.baseUrl);
    expect(error.failure).toBe("reset");
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each([
    ["with its length", { "content-length": String(tooMuch.length) }, tooMuch],
    ["in chunks", {}, tooMuch],
    ["as a small gzip bomb", { "content-encoding": "gzip" }, gzipSync(tooMuch)],
    ["as a small brotli bomb", { "content-encoding": "br" }, brotliCompressSync(tooMuch, quickly)],
  ])("an endless body %s: too big", async (_name, headers, body) => {
    await using stub = await serve((_request, response) => {
      response.writeHead(200, headers);
      response.end(body);
    });
    expect((await failureAt(stub.baseUrl)).failure).toBe("too big");
  });

  test("another protocol: not HTTP", async () => {
    await using stub = await serveSockets((socket) => socket.write("SSH-2.0-OpenSSH_9.9\r\n"));
    expect((await failureAt(stub.baseUrl)).failure).toBe("not HTTP");
  });

  test.each<[string, string, TransportFailure]>([
    ["a control character in a header", "X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}", "not HTTP"],
    ["a header line without a colon", "X-A a\r\nContent-Length: 2\r\n\r\n{}", "not HTTP"],
    ["two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "body length"],
    ["no chunk size", "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", "chunks"],
  ])("%s: %s", async (_name, rest, failure) => {
    await using stub = await serveSockets((socket) => socket.write(`HTTP/1.1 200 OK\r\n${rest}`));
    expect((await failureAt(stub.baseUrl)).failure).toBe(failure);
  });

  test("TLS to a plain port: not TLS", async () => {
    await using stub = await serve((_request, response) => void response.end("{}"));
    const error = await failureAt(stub.baseUrl.replace("http:", "https:"));
    expect(error.failure).toBe("not TLS");
    expect(error.fix).toContain("use http://");
  });

  test("a TLS port without a certificate: TLS", async () => {
    await using stub = await startTlsStub();
    expect((await failureAt(stub.baseUrl.replace("http:", "https:"))).failure).toBe("TLS");
  });
});

test("a failure names the request, without the keys in it", async () => {
  const target = stubTarget(await deadBaseUrl());
  await using http = stubClient(target);
  const path = `/products?cursor=${encodeURIComponent(stubKeys.primary)}`;
  const failed = http.send({ ...retailers(), path });
  await expect(failed).rejects.toThrow(`refused: ${target.baseUrl}/products?cursor=$SHELFCHECK_API_KEY`);
});

test.each<[code: string, failure: TransportFailure]>([
  ["EHOSTUNREACH", "unreachable"],
  ["ENETUNREACH", "unreachable"],
  ["EAI_AGAIN", "unknown host"],
  ["ETIMEDOUT", "silent"],
  ["UND_ERR_CONNECT_TIMEOUT", "silent"],
  ["EPIPE", "reset"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate self-signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "certificate of an unknown authority"],
  ["CERT_HAS_EXPIRED", "certificate expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate for another name"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate of an unknown authority"],
  ["SOMETHING_NEW", "reset"],
])("the code %s is %s, at any depth of causes", (code, failure) => {
  const inner = Object.assign(new Error("inner"), { code });
  expect(classifyTransportFailure(inner)).toBe(failure);
  expect(classifyTransportFailure(new Error("outer", { cause: inner }))).toBe(failure);
  expect(classifyTransportFailure(new AggregateError([inner], "both addresses"))).toBe(failure);
});

test("circular causes end", () => {
  const error = new Error("a");
  error.cause = error;
  expect(classifyTransportFailure(error)).toBe("reset");
});

test("a request is unprocessed if the server ended its HTTP/2 connection before, without an error", () => {
  const after = (code: string, nothingReceived = true) => {
    const cause = Object.assign(new Error("GOAWAY"), { code });
    return isUnprocessed(new TransportError("reset", "http://stub.example", { cause, nothingReceived }));
  };
  expect(after("UND_ERR_INFO")).toBe(true);
  expect(after("UND_ERR_INFO", false)).toBe(false);
  expect(after("UND_ERR_SOCKET")).toBe(false);
});
