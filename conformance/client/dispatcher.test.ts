import dns from "node:dns";
import type { ServerResponse } from "node:http";
import type { SecureServerOptions } from "node:http2";
import { expect, test, vi } from "vitest";
import type { Connection } from "../../schemas/connection.ts";
import { makeCertificate } from "../../test/support/certificates.ts";
import { sendJson, serve, serveSockets } from "../../test/support/server.ts";
import { stubClient, stubTarget } from "../../test/support/stub-client.ts";
import { TransportError } from "./no-response.ts";
import { retailers } from "./requests.ts";

// Certificates that are refused, or not checked: rows of test/acceptance/networks.acceptance.ts.

const authority = makeCertificate({ isAuthority: true });
const trusting = { ca: [authority.certificate] };
const server = makeCertificate({ by: authority });
const client = makeCertificate({ by: authority, names: ["client"] });

const startTlsStub = (tls: SecureServerOptions) =>
  serve((_request, response) => sendJson(response, 200, { retailers: [] }), { tls, http2: true });

/** The status of the response, or the failure. */
async function askAt(baseUrl: string, connection: Connection): Promise<number | string> {
  await using http = stubClient(stubTarget(baseUrl, { connection }));
  return await http.send(retailers()).then(
    ({ response }) => response.status,
    (error: unknown) => (error instanceof TransportError ? error.failure : String(error)),
  );
}

const { certificate: cert, key } = server;

test("a server with a private authority is asked for the certificate of its own name, whatever the Host header is", async () => {
  const serverNames: string[] = [];
  await using stub = await startTlsStub({
    cert,
    key,
    SNICallback(name, done) {
      serverNames.push(name);
      done(null);
    },
  });
  const baseUrl = stub.baseUrl.replace("127.0.0.1", "localhost");
  expect(await askAt(baseUrl, { ...trusting, host: "shop.example" })).toBe(200);
  const hosts = stub.requests.map(({ headers }) => headers[":authority"] ?? headers.host);
  expect(hosts).toEqual(["shop.example"]);
  expect(serverNames).toEqual(["localhost"]);
});

test("a server that requires a client certificate", async () => {
  await using stub = await startTlsStub({ cert, key, ca: authority.certificate, requestCert: true });
  const mutual = { ...trusting, clientCertificate: client.certificate, clientKey: client.key };
  expect(await askAt(stub.baseUrl, mutual)).toBe(200);
  const other = makeCertificate();
  const stranger = { clientCertificate: other.certificate, clientKey: other.key };
  // In TLS 1.3 the client finishes before the server checks its certificate, and the server's alert may be lost with
  // the connection.
  const refused = ["client certificate", "reset"];
  expect(refused).toContain(await askAt(stub.baseUrl, trusting));
  expect(refused).toContain(await askAt(stub.baseUrl, { ...mutual, ...stranger }));
});

test("HTTP/2 is used where the server offers it, and can be switched off", async () => {
  await using stub = await startTlsStub({ cert, key });
  // The server chooses among the offered versions; this one prefers HTTP/2.
  for (const http2 of [true, false]) expect(await askAt(stub.baseUrl, { ...trusting, http2 })).toBe(200);
  expect(stub.requests.map(({ httpVersion }) => httpVersion)).toEqual(["2.0", "1.1"]);
});

test("a server may close the connection in the handshake or in a body", async () => {
  await using inHandshake = await serveSockets((socket) => socket.once("data", () => socket.destroy()));
  expect(await askAt(inHandshake.baseUrl.replace("http:", "https:"), trusting)).toBe("reset");
  const inBody = (response: ServerResponse) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  };
  await using stub = await serve((_request, response) => inBody(response), { tls: { cert, key } });
  expect(await askAt(stub.baseUrl, trusting)).toBe("reset");
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
  await using stub = await serve((_request, response) => sendJson(response, 200, {}));
  try {
    await expect(askAt(stub.baseUrl.replace("127.0.0.1", "catalog.internal"), {})).resolves.toBe(200);
    expect(lookup).toHaveBeenCalledWith("catalog.internal", expect.anything(), expect.anything());
  } finally {
    lookup.mockRestore();
  }
});
