import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { CheckResult } from "../../../../schemas/contracts/results.ts";
import { eventfulResults } from "../../../../test/support/samples/eventful.ts";
import {
  exampleCheck,
  exampleRequirement,
  exampleResults,
} from "../../../../test/support/samples/example.ts";
import { consoleStyle, plainStyle, wrap } from "../../terminal.ts";
import { renderConsole, renderHtml } from "./formats.ts";
import { reportOf } from "./run-report.ts";

const resultsFile = "reports/run/results.json";

function render(change: Parameters<typeof exampleResults>[0], width?: number): string {
  return renderConsole(reportOf(exampleResults(change)), { resultsFile, style: plainStyle(width) });
}

const evidence: Evidence = {
  request: { method: "GET", url: "https://catalog.example/v1/products/acme/none", headers: {} },
  response: {
    status: 410,
    headers: { "content-type": "application/json" },
    body: '{"error":{"code":"gone"}}',
    milliseconds: 3,
  },
  curl: `curl -H "X-Api-Key: $SHELFCHECK_API_KEY" 'https://catalog.example/v1/products/acme/none'`,
};

const failure = exampleRequirement({
  verdict: "fail",
  checks: [
    {
      id: "unknown-by-id",
      title: "by id",
      verdict: "fail",
      findings: [{ code: "recorded", subject: "expected 404, got 410" }],
      attempts: { failed: 2, total: 3 },
      evidence: [evidence],
    },
  ],
});

const load: LoadResult = {
  scenario: "lookup",
  profile: "smoke",
  verdict: "pass",
  findings: [],
  notes: [],
  thresholds: [],
  metrics: {
    http_reqs: { count: 40, rate: 10 },
    http_req_duration: { "p(95)": 12.34 },
    http_req_failed: { rate: 0 },
  },
  retryAfter: { refused: 0, withRetryAfter: 0 },
  validated: { answers: 40, invalid: 0, undetectedShareBound: 0.075 },
};

test("requirements that one finding of one exchange breaks share a block, which the page can be linked to by both", async () => {
  const finding = {
    code: "error-code-mismatch",
    path: "/error/code",
    actual: "gone",
    expected: "not_found",
    details: { status: 404 },
  } as const;
  const broken = (id: string) =>
    exampleRequirement({
      id,
      verdict: "fail",
      checks: [{ id: `${id}/code`, title: id, verdict: "fail", findings: [finding], evidence: [evidence] }],
    });
  const results = exampleResults({
    exitCode: 1,
    requirements: [broken("errors.not-found"), broken("errors.codes")],
  });
  const text = renderConsole(reportOf(results), { style: plainStyle() });
  expect(text).toContain("FAILED errors.not-found: Errors, MUST, also errors.codes\n");
  expect(text.match(/FAILED/g)).toHaveLength(1);
  expect(text).toContain("2 requirements failed");
  const page = await renderHtml(reportOf(results), { script: "", style: "" });
  for (const id of ["errors.not-found", "errors.codes"]) expect(page.split(`id="${id}"`), id).toHaveLength(2);
});

describe("the terminal", () => {
  test("only commands and long words are wider than the terminal", () => {
    const checkThat = (verdict: CheckResult["verdict"], says: string) => exampleCheck({ verdict, says });
    const long = exampleRequirement({
      ...failure,
      statement: "word ".repeat(60),
      checks: [...failure.checks, checkThat("fail", "x".repeat(300))],
    });
    const notJudged = exampleRequirement({
      verdict: "inconclusive",
      checks: [checkThat("inconclusive", "y ".repeat(200))],
    });
    for (const width of [40, 72, 100]) {
      const { waivers = [], drift } = eventfulResults(" y".repeat(99));
      const compared = eventfulResults().load;
      const change = { requirements: [long, notJudged], load: [load, ...compared], waivers };
      const lines = render(drift === undefined ? change : { ...change, drift }, width).split("\n");
      const wide = lines.filter((line) => line.length > width && !/curl |^Next: |^\s*\S+$/.test(line));
      expect(wide).toEqual([]);
    }
  });

  test("URLs and ids are not broken at 40 columns", () => {
    const id = "errors.a-requirement-with-a-long-id-that-no-narrow-line-has-room-for";
    const lines = render({ requirements: [{ ...failure, id }] }, 40).split("\n");
    expect(lines.some((line) => line.trim() === evidence.request.url)).toBe(true);
    expect(lines.some((line) => line.includes(`${id}:`))).toBe(true);
  });

  test("a number stays with its unit", () => {
    expect(wrap("responses 124 of 220 (56.4 %) in 170 ms and more", { width: 28 })).toEqual([
      "responses 124 of 220",
      "(56.4 %) in 170 ms and more",
    ]);
    expect(wrap("a limit of exactly 170 ms", { width: 23 })).toEqual(["a limit of exactly", "170 ms"]);
  });

  test("lines in a pipe are not wrapped", () => {
    const long = "word ".repeat(200).trim();
    const text = render({ requirements: [{ ...failure, statement: long }] });
    expect(text).toContain(`\n  ${long}\n`);
  });

  test("escape sequences and bidirectional characters are shown as text", () => {
    const body = "\u001b]0;owned\u0007\u202Egnp.exe\r\n\u0000";
    const hostile = structuredClone(failure);
    for (const check of hostile.checks)
      check.evidence[0] = { ...evidence, response: { ...evidence.response, body } };
    const text = render({ requirements: [hostile] });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).toContain("\\u{1b}]0;owned\\u{7}\\u{202e}gnp.exe");
  });

  test("a huge body is cut", () => {
    const huge = structuredClone(failure);
    for (const check of huge.checks) {
      check.evidence[0] = { ...evidence, response: { ...evidence.response, body: "z".repeat(4000) } };
    }
    const text = render({ requirements: [huge] });
    expect(text).toContain("(3,700 more");
    expect(text.length).toBeLessThan(2000);
  });

  test.each([
    ["a terminal", { isTTY: true, columns: 300 }, {}, true, 300],
    ["a narrow terminal", { isTTY: true, columns: 20 }, {}, true, 40],
    ["a terminal that does not tell its width", { isTTY: true }, {}, true, 80],
    ["a pipe", { isTTY: false, columns: 300 }, {}, false, Number.POSITIVE_INFINITY],
    ["a terminal with NO_COLOR", { isTTY: true, columns: 90 }, { NO_COLOR: "1" }, false, 90],
  ])("colour and width of %s", (_name, stdout, env, coloured, width) => {
    const style = consoleStyle({ stdout: { write: () => true, ...stdout }, env });
    expect(style.bad("x") !== "x").toBe(coloured);
    expect(style.width).toBe(width);
  });
});
