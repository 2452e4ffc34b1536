import { expect, test } from "vitest";
import { exampleLoad, exampleRequirement, exampleResults } from "../../../../test/support/samples/example.ts";
import { hostileResults } from "../../../../test/support/samples/hostile.ts";
import { manyFindings, sampleResults } from "../../../../test/support/samples/sample.ts";
import { renderFindings } from "./findings-for-agents.ts";
import { renderMetrics } from "./metrics.ts";
import { reportOf } from "./run-report.ts";

test("a finding has its fact, requirement, request, response, curl line, and the command that checks a fix", () => {
  const text = renderFindings(reportOf(sampleResults(), { run: "run-1" }));
  for (const part of [
    "# Not conformant: gate of `staging`",
    "## 1. `errors.unknown-product` (MUST, Errors)",
    "- Fact: expected status 404, got 410",
    "- Requirement: An unknown product gives 404",
    "> GET https://catalog.example/v1/products/acme/none\n< 410",
    'curl -sS -i -H "X-Api-Key: $SHELFCHECK_API_KEY"',
    "Check the fix: `npx shelfcheck replay run-1 errors.unknown-product`",
  ])
    expect(text).toContain(part);
});

test.each([
  ["many findings", manyFindings(1000), true],
  ["hostile texts", hostileResults(1000), false],
])("at most 8 KB with %s; the rest is counted", (_name, results, hasMore) => {
  const text = renderFindings(reportOf(results));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
  expect(/more findings?: `npx shelfcheck explain latest/.test(text)).toBe(hasMore);
});

test("metrics are lines of OpenMetrics, with escaped labels", () => {
  const load = [exampleLoad({ profile: 'a"b', metrics: { http_reqs: { count: 40 } } })];
  const text = renderMetrics(reportOf(exampleResults({ requirements: [exampleRequirement()], load })));
  expect(text).toContain('shelfcheck_requirements{verdict="pass"} 1\n');
  expect(text).toContain('shelfcheck_load_requests{run="load.lookup.a\\"b"} 40\n');
  for (const line of text.trimEnd().split("\n"))
    expect(line).toMatch(/^(# EOF|[a-z_]+(\{[^\n]*\})? -?[\d.e+-]+)$/);
});
