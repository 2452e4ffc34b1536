import { expect, test } from "vitest";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import {
  exampleExchange,
  exampleLoad,
  exampleThreshold,
  timed,
} from "../../../../test/support/samples/example.ts";
import { said, saidLoad } from "../../../runs/said.ts";
import { placeOf } from "../../model.ts";
import { loadSuite } from "./load.ts";

const suiteOf = (...change: Parameters<typeof exampleLoad>) =>
  loadSuite(saidLoad(exampleLoad(...change)), 0, () => []);
const rowsOf = (...change: Parameters<typeof exampleLoad>) =>
  suiteOf(...change).tables[0]?.rows.map(({ cells }) => cells) ?? [];

const around = (count: number, p95: number) => [count, p95 / 2, p95, p95 * 2] as const;
const limit = (request: string, value: number, change = {}) =>
  exampleThreshold({ request, value, limit: 100, met: value <= 100, ...change });

test("endpoints are sorted by crossed limits, then by distance from their nearest limit", () => {
  const rows = rowsOf({
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
  });
  expect(rows.map((cells) => [cells[0], cells.at(-1)])).toEqual([
    ["Category page", "p95 ≤ 100 ms"],
    ["Batch lookup", "p95 ≤ 100 ms"],
    ["Lookup by URL", "p95 ≤ 100 ms"],
    ["Lookup by id", "p95 ≤ 100 ms"],
    ["Walk through a category", "none set"],
  ]);
});

test("a crossed limit of 0 ranks first, although it has no ratio", () => {
  const rows = rowsOf({
    metrics: timed({ "lookup-by-id": around(10, 20), batch: around(10, 20) }),
    thresholds: [
      limit("lookup-by-id", 99),
      limit("batch", 0.1, { limit: 0, met: false, statistic: "share", unit: "share" }),
    ],
  });
  expect(rows.map(([name]) => name)).toEqual(["Batch lookup", "Lookup by id"]);
});

test("a percentile of too few responses is not shown, unless it exceeded its limit", () => {
  const metrics = timed({ batch: around(10, 41.5) });
  expect(rowsOf({ metrics })[0]?.slice(1, 5)).toEqual(["10", "20.8 ms", "too few", "too few"]);
  const failed = { crossing: "failed-requests", statistic: "share", limit: 0.02, unit: "share" };
  const thresholds = [limit("batch", 41.5, { limit: 1, met: false }), limit("batch", 0, failed)];
  const [row] = rowsOf({ metrics, thresholds });
  expect(row?.slice(1)).toEqual(["10", "20.8 ms", "41.5 ms", "too few", "p95 ≤ 1 ms"]);
});

test("failed responses are counted where there are some", () => {
  const metrics = {
    ...timed({ batch: around(60, 40) }),
    "http_req_failed{name:batch}": { passes: 20, fails: 60 },
  };
  const [table] = suiteOf({ metrics }).tables;
  expect([table?.head[5], table?.rows[0]?.cells[5]]).toEqual(["failed", "20 of 80"]);
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
  };
  expect(rowsOf({ metrics }).map((cells) => cells.slice(1, 5))).toEqual([
    ["500", "7 ms", "9 ms", "11 ms"],
    ["0", "none", "none", "none"],
  ]);
});

const slow: Finding = {
  code: "latency-over-limit",
  endpoint: "lookup-by-id",
  subject: "lookup-by-id",
  expected: 500,
  actual: 900,
  unit: "ms",
  details: { statistic: "p95" },
};
const gone: Finding = { code: "target-gone-under-load", actual: 12 };

test("each failure of a load run counts once, as the item that says most", () => {
  const thresholds = [exampleThreshold({ value: 900, met: false })];
  const failuresOf = (...findings: Finding[]) =>
    suiteOf({ verdict: "fail", findings: findings.map((one) => said(one)), thresholds })
      .items.filter(({ verdict }) => verdict === "fail")
      .map(({ id, said: [first] }) => [id, first?.message]);
  const limited = ["load.lookup.smoke/lookup-by-id-p95", "Lookup by id, p95: 900 ms, limit 500 ms."];
  expect(failuresOf(slow)).toEqual([limited]);
  expect(failuresOf(gone, slow)).toEqual([
    ["load.lookup.smoke", expect.stringMatching(/^GET .retailers got no response after the run/)],
    limited,
  ]);
});

test("of two limits on all requests of some kinds, each has its id and its own text", () => {
  const whole = {
    crossing: "failed-requests",
    request: undefined,
    statistic: "share",
    unit: "share",
  } as const;
  const thresholds = [0.01, 0.2].map((limit) =>
    exampleThreshold({ ...whole, limit, value: 0.1, met: limit > 0.1 }),
  );
  const findings = [said({ code: "failed-requests", expected: 0.01, actual: 0.1, unit: "share" })];
  const shown = suiteOf({ verdict: "fail", findings, thresholds }).items;
  expect(shown.map(({ id, said: [first] }) => [id, first?.message.slice(-10)])).toEqual([
    ["load.lookup.smoke/all-failed-requests-0.01", "limit 1 %."],
    ["load.lookup.smoke/all-failed-requests-0.2", "imit 20 %."],
  ]);
});

test("what an interrupted run did not measure is not an error of its own", () => {
  const empty = exampleThreshold({ crossing: "no-samples", statistic: "count", met: false, guards: "run" });
  const shown = (...findings: Finding[]) =>
    suiteOf({
      verdict: "invalid",
      findings: findings.map((one) => said(one)),
      thresholds: [empty],
    }).items.map(({ id, verdict }) => [id, verdict]);
  const limited = "load.lookup.smoke/lookup-by-id-no-samples";
  expect(shown({ code: "load-interrupted" })).toEqual([
    ["load.lookup.smoke", "error"],
    [limited, "inconclusive"],
  ]);
  expect(shown({ code: "no-samples", subject: "lookup-by-id", details: { statistic: "count" } })).toEqual([
    [limited, "error"],
  ]);
});

test("the limit on invalid responses shows the first ones; without it they are a warning", () => {
  const evidence = [
    {
      request: "batch",
      finding: said({ code: "null-value", path: "/size" }),
      exchange: exampleExchange(),
    },
  ];
  const threshold = exampleThreshold({
    crossing: "invalid-responses",
    request: "batch",
    statistic: "share",
    limit: 0,
    value: 0.05,
    unit: "share",
    met: false,
  });
  const shown = (thresholds: (typeof threshold)[]) =>
    suiteOf({ verdict: "fail", thresholds, evidence })
      .items.filter(({ evidence: exchanges }) => exchanges.length > 0)
      .map(({ verdict, said: all }) => [verdict, ...all.map(({ message }) => message)]);
  expect(shown([threshold])).toEqual([
    ["fail", "Batch lookup, invalid responses found: 5 %, limit 0 %.", "Batch lookup: `size` is null."],
  ]);
  expect(shown([])).toEqual([["warn", "Batch lookup: `size` is null."]]);
});

test("of two overlapping responses, the one that shows another organization's content stands first", () => {
  const line = { text: '"slug": "ombra"', mark: "place" } as const;
  const leaking = exampleExchange({ excerpts: [{ path: "/slug", lines: [line] }] }, "/leaking");
  const finding = said({
    ...{ code: "foreign-response", subject: "retailers", path: "/slug", actual: "ombra" },
    details: { what: "retailer" },
  } as const);
  const suite = suiteOf({
    evidence: [{ request: "retailers", finding, exchange: leaking, overlapping: exampleExchange() }],
    thresholds: [exampleThreshold({ crossing: "foreign-responses", statistic: "count", met: false })],
  });
  const [item] = suite.items.filter(({ evidence }) => evidence.length > 0);
  expect(item && placeOf(item)).toMatchObject({ exchange: 0, lines: [line] });
});
