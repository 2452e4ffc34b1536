import dns from "node:dns";
import { once } from "node:events";
import { createServer } from "node:http";
import { createSecureServer, type SecureServerOptions } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, expect, test, vi } from "vitest";
import type { Connection } from "../../schemas/connection.ts";
import { makeCertificate } from "../../test/support/certificates.ts";
import { stubClient, stubTarget } from "../../test/support/stub-client.ts";
import { answerJson, startHttpStub } from "../../test/support/stub-server.ts";
import { retailers } from "./requests.ts";
import { TransportError } from "./transport-error.ts";

const authority = makeCertificate({ isAuthority: true });
const trusting = { ca: [authority.certificate] };
const server = makeCertificate({ by: authority });
const client = makeCertificate({ by: authority, names: ["client"] });

interface TlsStub extends AsyncDisposable {
  readonly baseUrl: string;
  /** HTTP version, Host header and TLS server name of each request. */
  readonly arrived: readonly { version: string; host: string; serverName: string }[];
}

async function startTlsStub(options: SecureServerOptions): Promise<TlsStub> {
  const arrived: TlsStub["arrived"][number][] = [];
  let serverName = "";
  const listening = createSecureServer({ allowHTTP1: true, ...options }, (request, response) => {
    const host = request.headers[":authority"] ?? request.headers.host ?? "";
    arrived.push({ version: request.httpVersion, host: String(host), serverName });
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"retailers":[]}');
  });
  listening.on("secureConnection", (socket) => {
    serverName = String(socket.servername);
  });
  listening.on("tlsClientError", () => undefined);
  const sockets = new Set<{ destroy(): unknown }>();
  listening.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  return {
    baseUrl: `https://127.0.0.1:${(listening.address() as AddressInfo).port}/v1`,
    arrived,
    async [Symbol.asyncDispose]() {
      const closed = once(listening, "close");
      listening.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The status of the response, or the failure. */
async function askAt(baseUrl: string, connection: Connection): Promise<number | string> {
  await using http = stubClient(stubTarget(baseUrl, { connection }));
  return await http.send(retailers()).then(
    ({ response }) => response.status,
    (error: unknown) => (error instanceof TransportError ? error.failure : String(error)),
  );
}

const { certificate: cert, key } = server;

describe("a server with a private authority", () => {
  test("is reached when its authority is configured, and reported as unknown authority otherwise", async () => {
    await using stub = await startTlsStub({ cert, key });
    expect(await askAt(stub.baseUrl, trusting)).toBe(200);
    expect(await askAt(stub.baseUrl, {})).toBe("certificate of an unknown authority");
    expect(await askAt(stub.baseUrl, { insecure: true })).toBe(200);
  });

  test.each<[string, ReturnType<typeof makeCertificate>]>([
    ["certificate expired", makeCertificate({ by: authority, days: -1 })],
    ["certificate for another name", makeCertificate({ by: authority, names: ["catalog.internal"] })],
    ["certificate self-signed", makeCertificate()],
  ])(
    "%s, with a fix of its own; insecure meets it all the same",
    async (failure, { certificate, key: own }) => {
      await using stub = await startTlsStub({ cert: certificate, key: own });
      expect(await askAt(stub.baseUrl, trusting)).toBe(failure);
      expect(await askAt(stub.baseUrl, { insecure: true })).toBe(200);
    },
  );

  test("is addressed by another name, which its certificate must match", async () => {
    const named = makeCertificate({ by: authority, names: ["catalog.internal"] });
    await using stub = await startTlsStub({ cert: named.certificate, key: named.key });
    const renamed = { ...trusting, serverName: "catalog.internal" };
    expect(await askAt(stub.baseUrl, renamed)).toBe(200);
    expect(await askAt(stub.baseUrl, { ...renamed, host: "shop.example" })).toBe(200);
    const { host } = new URL(stub.baseUrl);
    expect(stub.arrived.map((one) => [one.host, one.serverName])).toEqual([
      [host, "catalog.internal"],
      ["shop.example", "catalog.internal"],
    ]);
  });

  test("reports when its certificate expires", async () => {
    await using stub = await startTlsStub({ cert, key });
    await using http = stubClient(stubTarget(stub.baseUrl, { connection: trusting }));
    expect(http.certificateEnds()).toBeUndefined();
    await http.send(retailers());
    const days = (Number(http.certificateEnds()) - Date.now()) / (24 * 3600 * 1000);
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThan(91);
  });
});

test("a server that requires a client certificate", async () => {
  await using stub = await startTlsStub({ cert, key, ca: authority.certificate, requestCert: true });
  const mutual = { ...trusting, clientCertificate: client.certificate, clientKey: client.key };
  expect(await askAt(stub.baseUrl, mutual)).toBe(200);
  const other = makeCertificate();
  const stranger = { clientCertificate: other.certificate, clientKey: other.key };
  // In TLS 1.3 the client finishes before the server checks its certificate, and the server's alert may be lost with
  // the connection.
  const refused = ["client certificate", "closed after TLS"];
  expect(refused).toContain(await askAt(stub.baseUrl, trusting));
  expect(refused).toContain(await askAt(stub.baseUrl, { ...mutual, ...stranger }));
});

test("HTTP/2 is used where the server offers it, and can be switched off", async () => {
  await using stub = await startTlsStub({ cert, key });
  // The server chooses among the offered versions; this one prefers HTTP/2.
  for (const http2 of [true, false]) expect(await askAt(stub.baseUrl, { ...trusting, http2 })).toBe(200);
  expect(stub.arrived.map(({ version }) => version)).toEqual(["2.0", "1.1"]);
});

test("http on an https port and https on an http port are recognized", async () => {
  await using stub = await startTlsStub({ cert, key });
  expect(await askAt(stub.baseUrl.replace("https:", "http:"), {})).toBe("needs TLS");
  const plain = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(plain, "listening");
  const { port } = plain.address() as AddressInfo;
  expect(await askAt(`https://127.0.0.1:${port}/v1`, {})).toBe("not TLS");
  plain.close();
});

test("a name with several addresses is reached at the one that responds", async () => {
  const addresses = [
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ];
  const lookup = vi
    .spyOn(dns, "lookup")
    .mockImplementation(((
      _name: string,
      _options: object,
      done: (error: null, all: typeof addresses) => void,
    ) => done(null, addresses)) as unknown as typeof dns.lookup);
  await using stub = await startHttpStub((_request, response) => answerJson(response, 200, {}));
  try {
    await expect(askAt(stub.baseUrl.replace("127.0.0.1", "catalog.internal"), {})).resolves.toBe(200);
    expect(lookup).toHaveBeenCalledWith("catalog.internal", expect.anything(), expect.anything());
  } finally {
    lookup.mockRestore();
  }
});
