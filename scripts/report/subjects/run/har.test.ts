import { Ajv } from "ajv";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
// @ts-expect-error: it has no types
import schemas from "har-schema";
import { expect, test } from "vitest";
import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import { eventfulResults } from "../../../../test/support/samples/eventful.ts";
import {
  exampleCheck,
  exampleRequirement,
  exampleResults,
} from "../../../../test/support/samples/example.ts";
import { hostileTexts } from "../../../../test/support/samples/hostile.ts";
import { renderHar } from "./har.ts";
import { reportOf } from "./run-report.ts";

const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addMetaSchema(draft6);
const validate = ajv.addSchema(Object.values<object>(schemas)).compile({ $ref: "har.json#" });

/** The HAR, validated by its schema. */
function read(results = eventfulResults()) {
  const log = JSON.parse(renderHar(reportOf(results)));
  expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
  return log.log;
}

const exchange: Evidence = {
  request: {
    method: "POST",
    url: "http://a.example/v1/products/batch-lookup?x=1&x=%C3%A9",
    headers: { "X-Api-Key": "$SHELFCHECK_API_KEY", "content-type": "application/json" },
    body: '{"items":["é"]}',
  },
  response: {
    status: 404,
    headers: { "Content-Type": "application/problem+json" },
    body: '{"error":null}',
    milliseconds: 12.5,
  },
  curl: "curl",
};

test("an exchange of a check: request with its query, body and redacted key, response, time, page", () => {
  const check = {
    ...exampleCheck({ id: "a/one", verdict: "fail", says: "It is null." }),
    evidence: [exchange],
  };
  const { pages, entries } = read(
    exampleResults({ requirements: [exampleRequirement({ id: "a", verdict: "fail", checks: [check] })] }),
  );
  expect(pages).toMatchObject([{ id: "a/one", title: "a/one: by id", comment: "failed. It is null." }]);
  expect(entries).toMatchObject([
    {
      pageref: "a/one",
      startedDateTime: "2026-11-21T08:00:00.000Z",
      time: 12.5,
      request: {
        method: "POST",
        headers: [{ name: "X-Api-Key", value: "$SHELFCHECK_API_KEY" }, { name: "content-type" }],
        queryString: [
          { name: "x", value: "1" },
          { name: "x", value: "é" },
        ],
        postData: { mimeType: "application/json", text: exchange.request.body },
        bodySize: 16,
      },
      response: {
        status: 404,
        statusText: "Not Found",
        content: { size: 14, mimeType: "application/problem+json", text: exchange.response.body },
      },
      timings: { wait: 12.5 },
    },
  ]);
});

test("an exchange starts when it was sent, and its time is split where the head arrived", () => {
  const startedAt = "2026-11-21T08:00:01.250Z";
  const response = { ...exchange.response, waited: 10 };
  const check = { ...exampleCheck({ id: "a/one" }), evidence: [{ ...exchange, startedAt, response }] };
  const { entries } = read(
    exampleResults({ requirements: [exampleRequirement({ id: "a", checks: [check] })] }),
  );
  expect(entries).toMatchObject([{ startedDateTime: startedAt, timings: { wait: 10, receive: 2.5 } }]);
});

test("a connection that was opened for it is not part of the wait", () => {
  const response = { ...exchange.response, waited: 10, connecting: 2, securing: 3 };
  const check = { ...exampleCheck({ id: "a/one" }), evidence: [{ ...exchange, response }] };
  const { entries } = read(
    exampleResults({ requirements: [exampleRequirement({ id: "a", checks: [check] })] }),
  );
  expect(entries).toMatchObject([{ timings: { connect: 5, ssl: 3, send: 0, wait: 5, receive: 2.5 } }]);
});

test("every exchange of a run, also of load, once for each check that shows it", () => {
  const results = eventfulResults();
  const ofChecks = results.requirements.flatMap(({ checks }) => checks.flatMap(({ evidence }) => evidence));
  const ofLoad = results.load.flatMap(({ evidence = [] }) => evidence);
  const { entries, pages } = read(results);
  expect(entries).toHaveLength(ofChecks.length + ofLoad.length);
  const ids = new Set(pages.map(({ id }: { id: string }) => id));
  expect(ids.size).toBe(pages.length);
  for (const { pageref } of entries) expect(ids.has(pageref)).toBe(true);
});

test("a run without exchanges, and hostile texts, are valid by the schema", () => {
  expect(read(exampleResults({ requirements: [] })).entries).toEqual([]);
  for (const text of hostileTexts) read(eventfulResults(text));
});

test("the schema rejects an invalid HAR", () => {
  expect(validate({ log: { version: "1.2", creator: { name: "x" }, entries: [{}] } })).toBe(false);
});
