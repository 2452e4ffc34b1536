import { marked } from "marked";
import { expect, test } from "vitest";
import { excerptOf } from "../../../../schemas/excerpt.ts";
import { exampleLoad, exampleThreshold } from "../../../../test/support/samples/example.ts";
import { hostileResults } from "../../../../test/support/samples/hostile.ts";
import { sampleExchange, sampleFinding, sampleResults } from "../../../../test/support/samples/sample.ts";
import { twelveFailures } from "../../../../test/support/samples/twelve.ts";
import { reportOf } from "./run-report.ts";
import { renderTicket } from "./ticket.ts";

const report = reportOf(sampleResults(), { run: "run-1" });

test("a failed requirement: expected and actual value, the place in the body, and how to reproduce it", () => {
  const ticket = renderTicket(report, "errors.unknown-product") ?? "";
  expect(ticket).toMatch(/^## .*expected status 404, got 410/i);
  for (const part of [
    "**Expected**",
    "An unknown product gives 404",
    "**Seen**",
    '-     "code": "gone",',
    'curl -sS -i -H "X-Api-Key: $SHELFCHECK_API_KEY"',
    "shelfcheck replay run-1 errors.unknown-product",
    "gate of `staging` at `https://catalog.example/v1`",
  ])
    expect(ticket).toContain(part);
});

test("a ticket has at most 60 lines, and shows nothing twice", () => {
  const twelve = reportOf(twelveFailures(), { run: "run-1" });
  for (const { id } of twelve.failed) {
    const lines = (renderTicket(twelve, id) ?? "").split("\n");
    expect(lines.length, id).toBeLessThanOrEqual(60);
    expect(lines.filter((line) => line.includes("curl ")).length, id).toBeLessThanOrEqual(2);
  }
});

test("the place is a diff of the actual and the expected value", () => {
  const excerpts = [excerptOf({ size: null, title: "Lamp" }, "/size", (text) => text)];
  const wrong = sampleFinding(
    {},
    {
      findings: [{ code: "null-value", path: "/size", exchange: 0 }],
      evidence: [sampleExchange({ excerpts })],
    },
  );
  const ticket = renderTicket(reportOf(sampleResults({ requirements: [wrong] })), wrong.id) ?? "";
  expect(ticket).toContain(
    [
      "```diff",
      "  {",
      '-   "size": null,',
      "+   expected a value, or no field at all",
      '    "title": "Lamp"',
      "  }",
      "```",
    ].join("\n"),
  );
});

test("a known requirement has the text of the spec", () => {
  const [first, ...rest] = sampleResults().requirements;
  if (first === undefined) throw new Error("no requirement");
  const known = sampleResults({ requirements: [{ ...first, id: "by-id.unknown-product" }, ...rest] });
  expect(renderTicket(reportOf(known), "by-id.unknown-product")).toContain(
    "> An unknown product gives 404 (`not_found`).",
  );
});

test("one check of a requirement has a ticket of its own, and an unknown name none", () => {
  expect(renderTicket(report, "errors.unknown-product/by-id")).toContain("**Seen**");
  expect(renderTicket(report, "errors.nothing")).toBeUndefined();
});

test("a load run names its crossed limits, without k6 expressions", () => {
  const load = [
    exampleLoad({
      verdict: "fail",
      findings: [
        {
          code: "latency-over-limit",
          subject: "batch",
          expected: 5,
          actual: 115,
          unit: "ms",
          details: { statistic: "p95" },
        },
      ],
      thresholds: [exampleThreshold({ limit: 5, value: 115, met: false })],
    }),
  ];
  const ticket = renderTicket(reportOf(sampleResults({ load })), "load.lookup.smoke") ?? "";
  expect(ticket).toContain("at most 5 ms");
  expect(ticket).toContain("115 ms, limit 5 ms");
  expect(ticket).toContain("shelfcheck load --scenario lookup --profile smoke");
  expect(ticket).not.toMatch(/http_req|p\(95\)/);
});

test("hostile text stays text: no link, picture or HTML of a target in the rendered ticket", () => {
  const hostile = reportOf(hostileResults(1000));
  for (const { requirements } of hostile.sections)
    for (const { id } of requirements) {
      const page = marked.parse(renderTicket(hostile, id) ?? "", { async: false });
      expect(
        page.match(/<(?!\/?(h2|p|strong|blockquote|ul|li|code|pre|details|summary|em|br)\b)[a-z/][^>]*>/i),
      ).toBeNull();
    }
});
