import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type Received, sendJson, serve } from "../../test/support/server.ts";
import { stubClient, stubKeys, stubTarget } from "../../test/support/stub-client.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { evidenceOf } from "./evidence.ts";
import { redactionFor } from "./redaction.ts";
import { batch, byCategory, byGtin, byId, type Request, retailers } from "./requests.ts";

const run = promisify(execFile);

/** Whether a program is installed. Without it, its tests are skipped. */
function has(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const { primary } = stubKeys;
const redaction = redactionFor({ keys: stubKeys });
const awkward = 'a\'b "c" $HOME `id` \\ & | ; * ? [x]{y} # %41 ü 😀';

const asked: Readonly<Record<string, Request>> = {
  plain: retailers(),
  "X-Api-Key": { ...retailers(), keyHeader: "X-Api-Key" },
  "the second key": { ...retailers(), caller: "sameOrg" },
  "the other organization's key": { ...retailers(), caller: "otherOrg", keyHeader: "X-Api-Key" },
  "no key": { ...retailers(), caller: "nobody" },
  "awkward path": byId(awkward, awkward),
  "dots in the path": { ...retailers(), path: "/products/a/../b/./%2E%2E" },
  "awkward query": byCategory(awkward, { cursor: `${awkward}\n`, limit: "0" }),
  "brackets as they are": { ...byGtin("1"), path: "/products?gtin=[1-3]{a,b}" },
  batch: batch([{ retailer: awkward, product_id: "@file" }], { batchRequestField: "items" }),
  "a body that is not JSON": { ...batch([], {}), body: `{'\r\n\u202e\x01${awkward}` },
  "a body that names a file": { ...batch([], {}), headers: {}, body: "@/etc/hostname" },
  Brotli: { ...retailers(), headers: { "accept-encoding": "br" } },
  HEAD: { ...retailers(), method: "HEAD" },
  DELETE: { ...retailers(), method: "DELETE", headers: { accept: undefined } },
  PUT: { ...retailers(), method: "PUT", headers: { "content-type": "application/json" }, body: "{}" },
  "a key with a tail": {
    ...retailers(),
    caller: "nobody",
    headers: { Authorization: `Bearer ${primary}x` },
  },
  "a key between letters": { ...retailers(), headers: { "X-Note": `x${primary}é'${stubKeys.sameOrg}_` } },
  "an empty key": { ...retailers(), caller: "nobody", headers: { "X-Api-Key": "" } },
  "an empty Bearer": { ...retailers(), caller: "nobody", headers: { Authorization: "Bearer " } },
  "both headers": { ...retailers(), keyHeader: "Authorization", headers: { "X-Api-Key": primary } },
};

/** The parts of a request that matter: all but its own id, and what becomes of the connection. */
function essence({ method, url, headers, body }: Received) {
  const { connection: _kept, traceparent: _id, ...sent } = headers;
  return { method, url, sent, body };
}

test.skipIf(!has("bash") || !has("curl"))(
  "the curl line, pasted into a shell, sends what was sent",
  async () => {
    await using stub = await serve((_request, response) => sendJson(response, 200, { ok: true }));
    await using http = stubClient(stubTarget(stub.baseUrl));
    const lines: string[] = [];
    for (const request of Object.values(asked))
      lines.push(evidenceOf(await http.send(request), redaction).curl);
    const sent = stub.requests.map(essence);
    for (const key of Object.values(stubKeys)) expect(lines.join("\n")).not.toContain(key);

    const { stdout } = await run("bash", ["-e", "-c", lines.join("\n")], {
      env: {
        PATH: process.env.PATH,
        SHELFCHECK_API_KEY: stubKeys.primary,
        SHELFCHECK_SAME_ORG_API_KEY: stubKeys.sameOrg,
        SHELFCHECK_OTHER_ORG_API_KEY: stubKeys.otherOrg,
      },
      timeout: 30_000,
    });
    const repeated = stub.requests.slice(sent.length).map(essence);
    for (const [index, name] of Object.keys(asked).entries())
      expect(repeated[index], name).toEqual(sent[index]);
    expect(stdout.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(sent.length);
  },
);

test("a key is shown as the variable that the config names, as is a secret of the connection; others stay unchanged", () => {
  const keyVariables = { primary: "KEY", sameOrg: "KEY_2", otherOrg: "OTHER" };
  const requestHeaders = { "X-Api-Key": primary, "X-Note": stubKeys.sameOrg };
  const sent = { url: "http://stub.example/$HOME", requestHeaders, requestBody: "$PATH" };
  const connection = { curl: ["--proxy", "$HTTPS_PROXY", "--noproxy", "*"] };
  const shown = redactionFor({ keys: stubKeys, keyVariables, connection });
  const { curl } = evidenceOf(exchangeOf("other", {}, sent), shown);
  for (const part of [
    `-H 'X-Api-Key: '"$KEY" -H 'X-Note: '"$KEY_2"`,
    "'http://stub.example/$HOME'",
    "'$PATH'",
    `--proxy "$HTTPS_PROXY" --noproxy '*'`,
  ])
    expect(curl).toContain(part);
});

describe("evidence", () => {
  test("shows the whole exchange and the time to a tenth of a millisecond", () => {
    const exchange = exchangeOf("other", { a: 1 }, { status: 404, requestBody: "{}" });
    const { request, response } = exchange;
    expect(evidenceOf(exchange, redaction)).toMatchObject({
      request,
      response: { status: 404, headers: response.headers, body: '{"a":1}', milliseconds: 1.2 },
    });
    expect(evidenceOf(exchangeOf("other", {}), redaction).request.body).toBeUndefined();
  });

  test("shows 4,000 characters of a body and its full length", () => {
    const body = (length: number) =>
      evidenceOf(exchangeOf("other", undefined, { text: "x".repeat(length) }), redaction).response.body;
    expect(body(4000)).toBe("x".repeat(4000));
    expect(body(4001)).toBe(`${"x".repeat(4000)}… (4001 characters)`);
  });

  const upper = [primary.toUpperCase(), '$(printf %s "$SHELFCHECK_API_KEY" | tr a-z A-Z)'] as const;
  const spellings = [
    primary,
    encodeURIComponent(primary),
    JSON.stringify(primary).slice(1, -1),
    Buffer.from(primary).toString("base64"),
    upper[0],
  ];

  test.each(spellings)("shows no key that was sent or echoed as %s", (spelling) => {
    const shown = spelling === upper[0] ? upper[1] : "$SHELFCHECK_API_KEY";
    const exchange = exchangeOf("other", undefined, {
      url: `http://stub.example/v1/products/a/${encodeURIComponent(primary)}`,
      requestHeaders: { "x-mine": spelling },
      requestBody: spelling,
      headers: { "x-echo": `you sent ${spelling}` },
      text: `{"error":{"code":"unauthorized","message":"bad key ${spelling}"}}`,
    });
    const evidence = evidenceOf(exchange, redaction);
    const record = JSON.stringify(evidence);
    for (const secret of [...spellings, ...spellings.map((text) => JSON.stringify(text).slice(1, -1))]) {
      expect(record).not.toContain(secret);
    }
    expect(evidence.response.body).toContain(`bad key ${shown}`);
    expect(evidence.response.headers["x-echo"]).toBe(`you sent ${shown}`);
    expect(evidence.request.url).toMatch(/\/products\/a\/\$SHELFCHECK_API_KEY$/);
  });

  test("shows no part of a key at the place where a body is cut", () => {
    for (let before = 4000 - primary.length; before < 4000; before++) {
      const text = `${"~".repeat(before)}${primary}${"~".repeat(4000)}`;
      const { body } = evidenceOf(exchangeOf("other", undefined, { text }), redaction).response;
      expect(body).toMatch(/^~+[$A-Z_]*… \(\d+ characters\)$/);
    }
  });
});
