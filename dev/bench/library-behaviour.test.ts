import { expect, test } from "vitest";
import type { ClientExchange } from "../../clients/lab/exchange.ts";
import { describeRetries } from "./library-behaviour.ts";

interface Sent {
  readonly at: number;
  readonly status: number;
  readonly wait?: number;
  readonly path?: string;
}

function exchangesOf(sent: readonly Sent[]): ClientExchange[] {
  return sent.map(({ at, status, wait, path = "/v1/products/acme/1" }, index) => {
    const method = path.endsWith("batch-lookup") ? "POST" : "GET";
    return {
      index,
      request: { method, path, query: "", headers: {}, body: Buffer.from("") },
      target: `${method} ${path}`,
      response: {
        status,
        headers: wait === undefined ? {} : { "retry-after": String(wait) },
        body: Buffer.from(""),
      },
      at,
      end: at,
      process: 1,
      connectedAt: 0,
      isFirstOnConnection: false,
      situation: wait === undefined ? undefined : "wait-2",
      isReworded: false,
    };
  });
}

const path = "/v1/products/batch-lookup";

test("a library that waits, and gives batches up", () => {
  const sent = [
    { at: 0, status: 429, wait: 2 },
    { at: 2001, status: 200 },
    { at: 3000, status: 429, wait: 2, path },
  ];
  expect(describeRetries(exchangesOf(sent))).toEqual(["waits", "gives up", "", ""]);
});

test("a library that comes too early, and repeats what cannot succeed", () => {
  const sent = [
    { at: 0, status: 429, wait: 2 },
    { at: 300, status: 502 },
    { at: 320, status: 200 },
    { at: 1000, status: 404, path: "/v1/products/acme/2" },
    { at: 1100, status: 404, path: "/v1/products/acme/2" },
  ];
  expect(describeRetries(exchangesOf(sent))).toEqual([
    "**too early**: 300 ms of 2 s",
    "",
    "sends again after 20 ms",
    "sends again after 100 ms",
  ]);
});
