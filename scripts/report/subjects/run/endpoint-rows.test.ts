import { expect, test } from "vitest";
import type { SaidFinding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import { exampleLoad, exampleThreshold, timed } from "../../../../test/support/samples/example.ts";
import { latencyText } from "./endpoint-rows.ts";
import { shownLoad } from "./shown-load.ts";

const endpointRows = (load: LoadResult<SaidFinding>) => shownLoad(load).endpoints;

const around = (count: number, p95: number) => [count, p95 / 2, p95, p95 * 2] as const;
const limit = (request: string, value: number, change = {}) =>
  exampleThreshold({ request, value, limit: 100, met: value <= 100, ...change });

test("endpoints are sorted by crossed limits, then by distance from their nearest limit", () => {
  const rows = endpointRows(
    exampleLoad({
      metrics: timed({
        "category-walk": around(10, 900),
        "lookup-by-id": around(1000, 20),
        "lookup-by-url": around(1000, 90),
        batch: around(1000, 110),
        "category-page": around(1000, 300),
      }),
      thresholds: [
        limit("lookup-by-id", 20),
        limit("lookup-by-url", 90),
        limit("batch", 110),
        limit("category-page", 300),
        limit("category-page", 150, { statistic: "p99" }),
      ],
    }),
  );
  expect(rows.map(({ name, limits }) => [name, ...limits.map(({ ratio }) => ratio)])).toEqual([
    ["Category page", 3, 1.5],
    ["Batch lookup", 1.1],
    ["Lookup by URL", 0.9],
    ["Lookup by id", 0.2],
    ["Walk through a category"],
  ]);
});

test("a crossed limit of 0 ranks first, although it has no ratio", () => {
  const rows = endpointRows(
    exampleLoad({
      metrics: timed({ "lookup-by-id": around(10, 20), batch: around(10, 20) }),
      thresholds: [
        limit("lookup-by-id", 99),
        limit("batch", 0.1, { limit: 0, met: false, statistic: "share", unit: "share" }),
      ],
    }),
  );
  expect(rows.map(({ id }) => id)).toEqual(["batch", "lookup-by-id"]);
});

test("a percentile that exceeded its limit is shown, also of few responses", () => {
  const [row] = endpointRows(
    exampleLoad({
      metrics: timed({ batch: around(10, 41.5) }),
      thresholds: [limit("batch", 41.5, { limit: 1, met: false })],
    }),
  );
  expect(row && [latencyText(row, 95), latencyText(row, 99)]).toEqual(["41.5 ms", "too few"]);
});

test("failed and invalid responses are counted; a percentile of too few responses is not shown", () => {
  const [row] = endpointRows(
    exampleLoad({
      metrics: {
        ...timed({ batch: around(60, 40) }),
        "http_req_failed{name:batch}": { rate: 0.25, passes: 20, fails: 60 },
        "invalid_responses{name:batch}": { rate: 0.1, passes: 6, fails: 54 },
      },
    }),
  );
  expect(row).toMatchObject({ failed: { count: 20, total: 80 }, invalid: { count: 6, total: 60 } });
  expect(row && ([50, 95, 99] as const).map((one) => latencyText(row, one))).toEqual([
    "20 ms",
    "40 ms",
    "too few",
  ]);
});

test("a kind is shown by the responses that are right for it, and without any response", () => {
  const metrics = {
    "http_req_duration{name:lookup-unknown-product,status:404}": {
      med: 7,
      "p(95)": 9,
      "p(99)": 11,
      count: 500,
    },
    "http_req_duration{name:batch,status:200}": { med: 0, "p(95)": 0, "p(99)": 0, count: 0 },
    chain_duration: { med: 0, "p(95)": 0, "p(99)": 0, count: 0 },
  };
  expect(endpointRows(exampleLoad({ metrics }))).toMatchObject([
    { id: "lookup-unknown-product", samples: 500, latency: { 50: 7, 95: 9, 99: 11 } },
    { id: "batch", samples: 0, latency: {} },
  ]);
});

test("a percentile of too few responses within its limit does not rank first; one that crossed it does", () => {
  const order = (few: number) =>
    endpointRows(
      exampleLoad({
        metrics: timed({ batch: around(9, few), "lookup-by-id": around(1000, 20) }),
        thresholds: [limit("batch", few), limit("lookup-by-id", 20)],
      }),
    ).map(({ id, limits: [nearest] }) => [id, nearest?.ratio]);
  expect(order(90)).toEqual([
    ["lookup-by-id", 0.2],
    ["batch", undefined],
  ]);
  expect(order(150)[0]).toEqual(["batch", 1.5]);
});

test("an invalid run has no capacity, and no limit on the target that passed or was exceeded", () => {
  const { figures, thresholds, exceeded } = shownLoad(
    exampleLoad({
      verdict: "invalid",
      findings: [{ code: "capacity-reached", actual: 50, unit: "requests/s" }],
      notes: [{ code: "capacity-not-reached", actual: 600, unit: "requests/s" }],
      thresholds: [
        limit("batch", 20),
        limit("batch", 120),
        limit("batch", 120, { guards: "search" }),
        limit("batch", 2000, { guards: "run" }),
      ],
    }),
  );
  expect({ limit: figures.limit, exceeded }).toEqual({ limit: undefined, exceeded: [] });
  expect(thresholds.map(({ verdict }) => verdict)).toEqual([
    "not judged",
    "not judged",
    "not judged",
    "failed",
  ]);
});
