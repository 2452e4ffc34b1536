import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { deepest, isTooDeep, readBody } from "./body.ts";

const body = JSON.stringify({ name: "Ä" });
const read = { text: body, utf8: true, json: { name: "Ä" } };

describe("a body", () => {
  test.each<[string, (text: string) => Buffer]>([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate, gzip", (text) => gzipSync(deflateSync(text))],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["GZIP", gzipSync],
    ["identity", (text) => Buffer.from(text)],
  ])("compressed with %s is read", (coding, compress) => {
    expect(readBody(compress(body), coding)).toEqual(read);
  });

  test.each<[string, Buffer, coding: string | undefined, object]>([
    ["not in its coding", Buffer.from(body), "gzip", { text: body, utf8: true, undecodable: "gzip" }],
    ["of a response to HEAD", Buffer.from(""), "gzip", { text: "", utf8: true }],
    [
      "not UTF-8",
      Buffer.from('"\xc4"', "latin1"),
      undefined,
      { text: '"\ufffd"', utf8: false, json: "\ufffd" },
    ],
    ["not JSON", Buffer.from("{'a':1}"), undefined, { text: "{'a':1}", utf8: true }],
    ["null", Buffer.from("null"), undefined, { text: "null", utf8: true, json: null }],
  ])("%s", (_, raw, coding, expected) => {
    expect(readBody(raw, coding)).toEqual(expected);
  });
});

const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${"}]".repeat(levels / 2)}`;

test.each([
  ["as deep as allowed", nested(deepest), false],
  ["two levels deeper", nested(deepest + 2), true],
  ["many lists beside each other", `[${"[],".repeat(deepest * 3)}1]`, false],
  ["brackets in a text", JSON.stringify({ title: '[{\\"'.repeat(deepest) }), false],
  ["cut off", "[".repeat(deepest + 1), true],
])("%s", (_, text, tooDeep) => {
  expect(isTooDeep(text)).toBe(tooDeep);
  expect(readBody(Buffer.from(text), undefined).json === undefined).toBe(tooDeep);
});
