import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { TransportFailure } from "../../schemas/words/transport.ts";
import { deadBaseUrl, listen, serve, serveSockets } from "../../test/support/server.ts";
import { stubClient, stubKeys, stubTarget } from "../../test/support/stub-client.ts";
import { classifyTransportFailure, isUnprocessed, TransportError } from "./no-response.ts";
import { retailers } from "./requests.ts";

afterEach(() => vi.unstubAllEnvs());

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

describe("the failure of a target that", () => {
  const head = (text: string) => `HTTP/1.1 200 OK\r\n${text}`;
  const drip = (socket: Socket) => {
    socket.write(head("transfer-encoding: chunked\r\n\r\n"));
    const dripping = setInterval(() => socket.write("1\r\n \r\n"), 5);
    socket.on("close", () => clearInterval(dripping));
  };

  const says = (text: string) => (socket: Socket) => socket.write(text);
  test.each<[TransportFailure, string, (socket: Socket) => unknown, milliseconds?: number]>([
    ["silent", "accepts the connection and does nothing more", () => undefined, 60],
    ["silent", "sends an endless slow body", drip, 100],
    ["reset", "closes before any response", (socket) => socket.once("data", () => socket.end())],
    ["not HTTP", "speaks another protocol", says("SSH-2.0-OpenSSH_9.9\r\n")],
    [
      "not HTTP",
      "sends a control character in a header",
      says(head("X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}")),
    ],
    ["not HTTP", "sends a header line without a colon", says(head("X-A a\r\nContent-Length: 2\r\n\r\n{}"))],
    ["body length", "sends two lengths", says(head("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"))],
    ["chunks", "sends no chunk size", says(head("Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"))],
  ])("is %s: %s", async (failure, _name, answer, milliseconds) => {
    await using stub = await serveSockets(answer);
    expect((await failureAt(stub.baseUrl, milliseconds)).failure).toBe(failure);
  });

  const half = (response: ServerResponse, then: () => unknown = () => undefined) => {
    response.writeHead(200, { "content-length": "100" }).write('{"retailers":', then);
  };
  const whole = (headers: Record<string, string>, body: Buffer) => (response: ServerResponse) =>
    response.writeHead(200, headers).end(body);

  test.each<[TransportFailure, string, (response: ServerResponse) => unknown, milliseconds?: number]>([
    ["silent", "sends half a body, then nothing", (response) => half(response), 60],
    ["reset", "closes in a body", (response) => half(response, () => response.socket?.destroy())],
    ["too big", "sends too much", whole({ "content-length": String(tooMuch.length) }, tooMuch)],
    ["too big", "sends too much in chunks", whole({}, tooMuch)],
    ["too big", "sends a small gzip bomb", whole({ "content-encoding": "gzip" }, gzipSync(tooMuch))],
  ])("is %s: %s", async (failure, _name, answer, milliseconds) => {
    await using stub = await serve((_request, response) => void answer(response));
    const error = await failureAt(stub.baseUrl, milliseconds);
    expect([error.failure, error.cause instanceof Error]).toEqual([failure, true]);
  });

  test("is not there: refused, not resolved, another protocol", async () => {
    const baseUrl = deadBaseUrl;
    const error = await failureAt(baseUrl);
    expect([error.failure, error.request.url]).toEqual(["refused", `${baseUrl}/retailers`]);
    for (const name of ["http_proxy", "HTTP_PROXY"]) vi.stubEnv(name, "");
    // A label longer than DNS allows, so no name server is queried.
    expect((await failureAt(`http://${"x".repeat(64)}.invalid/v1`)).failure).toBe("unknown host");
    await using plain = await serve((_request, response) => void response.end("{}"));
    expect((await failureAt(plain.baseUrl.replace("http:", "https:"))).failure).toBe("not TLS");
    // Without a certificate every handshake fails.
    await using tls = await listen(createTlsServer({}).on("tlsClientError", () => undefined));
    expect((await failureAt(tls.baseUrl.replace("http:", "https:"))).failure).toBe("TLS");
  });
});

test("a failure names the request, without the keys in it", async () => {
  const target = stubTarget(deadBaseUrl);
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
  ["CERT_REVOKED", "TLS"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate for another name"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate of an unknown authority"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "certificate of an unknown authority"],
  ["UNABLE_TO_GET_CRL", "TLS"],
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
  const request = { method: "GET", url: "http://stub.example", headers: {} };
  const after = (code: string, nothingReceived = true) => {
    const cause = Object.assign(new Error("GOAWAY"), { code });
    return isUnprocessed(new TransportError("reset", request, { cause, nothingReceived }));
  };
  expect(after("UND_ERR_INFO")).toBe(true);
  expect(after("UND_ERR_INFO", false)).toBe(false);
  expect(after("UND_ERR_SOCKET")).toBe(false);
});
