import { connect } from "node:net";
import { expect, test } from "vitest";
import { serveSockets } from "../../test/support/server.ts";
import { stubClient, stubTarget } from "../../test/support/stub-client.ts";
import { retailers } from "./requests.ts";
import { TransportError } from "./transport-error.ts";

const body = '{"retailers":[]}';
const length = `Content-Length: ${body.length}`;
const chunked = "Transfer-Encoding: chunked";
const inChunks = (extension = "") => `${body.length.toString(16)}${extension}\r\n${body}\r\n0\r\n`;
const ok = "HTTP/1.1 200 OK";
const message = (...lines: string[]) => [ok, "Content-Type: application/json", ...lines].join("\r\n");

/** The first two responses to a client whose server sends these bytes for each request, a few at a time. */
async function read(bytes: string, atOnce = bytes.length) {
  await using server = await serveSockets((socket) => {
    socket.setNoDelay(true);
    socket.on("data", () => {
      for (let at = 0; at < bytes.length; at += atOnce)
        socket.write(Buffer.from(bytes.slice(at, at + atOnce), "latin1"));
    });
  });
  await using client = stubClient(stubTarget(server.baseUrl, { timeoutMilliseconds: 2000 }));
  const read = async () =>
    await client.send(retailers()).then(
      ({ response }) => response.text,
      (error: unknown) => (error instanceof TransportError ? error.failure : error),
    );
  return { responses: [await read(), await read()], unusual: [...client.unusual] };
}

test.each([
  ["an ordinary response", message(length, "", body), undefined],
  ["no reason phrase", message(length, "", body).replace(" OK", ""), undefined],
  ["empty lines before it", `\r\n\r\n${message(length, "", body)}`, undefined],
  ["100 that nothing asked for", `HTTP/1.1 100 Continue\r\n\r\n${message(length, "", body)}`, undefined],
  [
    "103 twice",
    `${"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n".repeat(2)}${message(length, "", body)}`,
    undefined,
  ],
  [
    "chunks with an extension and a trailer",
    message(chunked, "", `${inChunks(';a="b"')}X-Sum: 1\r\n\r\n`),
    undefined,
  ],
  ["a folded line", message("X-A: one", "\t two", length, "", body), "folded header lines"],
  ["lines that end with LF", message(length, "", body).replaceAll("\r\n", "\n"), "line feeds alone"],
  ["one length twice", message(length, length, "", body), "repeated length"],
  ["a list of equal lengths", message(`${length}, ${body.length}`, "", body), "repeated length"],
  ["a length before chunks", message(length, chunked, "", `${inChunks()}\r\n`), "two framings"],
  ["a length after chunks", message(chunked, length, "", `${inChunks()}\r\n`), "two framings"],
  ["two responses", message(length, "", body).repeat(2), "bytes after the body"],
  [
    "a response after the last chunk",
    `${message(chunked, "", `${inChunks()}\r\n`)}${message(length, "", body)}`,
    "bytes after the body",
  ],
  [
    "many headers",
    message(...Array<string>(40).fill(`X-A: ${"x".repeat(1000)}`), length, "", body),
    "large head",
  ],
] as const)("%s is read", async (_name, bytes, unusual) => {
  for (const atOnce of [bytes.length, 7]) {
    const expected = unusual === undefined ? [] : [[unusual, 2]];
    // What belongs to no response may arrive after the next request was sent: then it is the response to that one.
    if (unusual === "bytes after the body" && atOnce === 7) continue;
    expect(await read(bytes, atOnce)).toEqual({ responses: [body, body], unusual: expected });
  }
});

test.each([
  ["lengths that differ", message(length, "Content-Length: 3", "", body), "body length"],
  ["a length that is no number", message("Content-Length: +5", "", body), "body length"],
  ["a length of 20 digits", message("Content-Length: 99999999999999999999", "", body), "too big"],
  ["a blank before a colon", message("X-A : b", length, "", body), "header line"],
  ["no colon", message("text", length, "", body), "header line"],
  ["a control character", message("X-A: \0", length, "", body), "header line"],
  ["a status of four digits", message(length, "", body).replace("200", "2000"), "status line"],
  ["a status below 100", message(length, "", body).replace("200", "099"), "status line"],
  ["101 that nothing asked for", "HTTP/1.1 101 Switching\r\nUpgrade: a\r\n\r\n", "protocol switch"],
  ["a blank before the extension of a chunk", message(chunked, "", `${inChunks(" ;a=b")}\r\n`), "chunks"],
  ["another protocol", "SSH-2.0-OpenSSH_9.9\r\n", "not HTTP"],
] as const)("%s is named", async (_name, bytes, failure) => {
  expect(await read(bytes)).toEqual({ responses: [failure, failure], unusual: [] });
});

test("only the beginning of a long header is kept", async () => {
  await using server = await serveSockets((socket) => {
    socket.on("data", () => socket.write(message(`X-Huge: ${"x".repeat(1024 * 1024)}`, length, "", body)));
  });
  await using client = stubClient(stubTarget(server.baseUrl));
  const { response } = await client.send(retailers());
  expect(response.headers["x-huge"]?.length).toBeLessThan(5000);
  expect(response.headers["x-huge"]).toContain("(1048584 characters)");
});

test("through a proxy, heads are read alike", async () => {
  await using server = await serveSockets((socket) => {
    socket.on("data", () => socket.write(message("X-A: one", " two", length, length, "", body)));
  });
  await using proxy = await startRawProxy(server.port);
  await using client = stubClient(
    stubTarget("http://catalog.example/v1", { connection: { proxy: `http://127.0.0.1:${proxy.port}` } }),
  );
  expect((await client.send(retailers())).response.text).toBe(body);
  expect([...client.unusual.keys()]).toEqual(["folded header lines", "repeated length"]);
});

/** A proxy that hands on bytes as they are. */
async function startRawProxy(port: number) {
  return await serveSockets((socket) => {
    const behind = connect(port, "127.0.0.1");
    socket.pipe(behind).pipe(socket);
    socket.on("close", () => behind.destroy());
  });
}
