import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { CheckResult } from "../../../../schemas/contracts/results.ts";
import { eventfulResults } from "../../../../test/support/samples/eventful.ts";
import {
  exampleCheck,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
} from "../../../../test/support/samples/example.ts";
import { consoleStyle, plainStyle, wrap } from "../../terminal.ts";
import { renderConsole } from "./formats.ts";
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

test("a passed run: verdict, counts, paths of the results, exit code", () => {
  const lines = render({}).trim().split("\n");
  expect(lines[0]).toBe("CONFORMANT: gate of staging at https://catalog.example/v1");
  expect(lines[1]).toBe("1 requirement: 1 passed; 12 requests");
  expect(lines[2]).toMatch(/^\d+ more statements of the spec bind clients or are not specified\.$/);
  expect(lines.slice(-4)).toEqual([
    `Results: ${resultsFile}`,
    "Report: reports/run/report.html",
    "",
    "Exit 0: 1 requirement passed.",
  ]);
});

test("a failure shows statement, reason, request, response and an unbroken curl line", () => {
  const text = render({ verdict: "violations", exitCode: 1, requirements: [failure] });
  expect(text).toContain("FAILED errors.unknown-product: Errors, MUST");
  expect(text).toContain("  An unknown product gives 404 with the code not_found.");
  expect(text).toContain(
    "  expected 404, got 410 (failed in 2 of 3 attempts)\n  An unknown product gives 404",
  );
  expect(text).toContain("> GET https://catalog.example/v1/products/acme/none");
  expect(text).toContain('< 410 application/json {"error":{"code":"gone"}}');
  expect(text).toContain(`    ${evidence.curl}`);
});

test("requirements that were not judged are grouped by cause", () => {
  const reason = "Set SHELFCHECK_OTHER_ORG_API_KEY to a key of another organization.";
  const requirements = ["one", "two"].map((id) =>
    exampleRequirement({
      id,
      verdict: "inconclusive",
      checks: [exampleCheck({ verdict: "inconclusive", says: reason })],
    }),
  );
  const text = render({ verdict: "incomplete", exitCode: 4, requirements });
  const [beginning = "", ending = ""] = text.split("First findings");
  expect(beginning.split(reason)).toHaveLength(2);
  expect(beginning).toContain("    one, two");
  expect(ending).toContain(`  one and 1 more: ${reason}`);
  expect(ending).toContain(
    "Exit 4: Nothing failed. 2 of 2 requirements were not judged: Set SHELFCHECK_OTHER_ORG",
  );
});

test("a problem has its place and fix", () => {
  const problem = { what: "Nothing answers", where: "http://127.0.0.1:9/v1", fix: "Start the service." };
  const text = render({ verdict: "error", exitCode: 3, problem, requirements: [] });
  expect(text).toContain("ERROR");
  expect(text).toContain("Nothing answers: http://127.0.0.1:9/v1\nStart the service.");
});

test("sections with more than passed requirements are counted", () => {
  const requirements = [failure, exampleRequirement(), exampleRequirement({ section: "Limits" })];
  const lines = render({ requirements }).split("\n");
  expect(lines).toContain("  Errors  1 failed, 1 passed");
  expect(lines.join("\n")).not.toContain("  Limits");
});

describe("load", () => {
  test("a line of figures", () => {
    const text = render({ load: [load] });
    expect(text).toContain("passed Lookup (smoke)");
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      "40 requests, 10/s, p95 12.3 ms, 0 % failed, no 429, 40 responses checked, 0 invalid (an error rate up to 7.5 % could still go unseen)",
    );
  });

  describe("the endpoints, worst first", () => {
    const curve = (endpoint: string, p95: number, count = 500) => ({
      endpoint,
      count,
      at: [50, 95, 99],
      milliseconds: [p95 / 2, p95, p95 * 2],
    });
    const measured = {
      ...load,
      seconds: 24,
      percentiles: [curve("lookup-by-id", 20), curve("batch", 600, 60)],
      thresholds: [
        exampleThreshold({ value: 20 }),
        exampleThreshold({ request: "batch", value: 600, met: false }),
      ],
    };

    test("as a table", () => {
      const text = render({ load: [measured] });
      expect(text).toContain("40 requests in 24 s, 10/s");
      expect(text).toContain(`
    endpoint           p50       p95       p99  limit
    Batch lookup    300 ms    600 ms         –  p95 at most 500 ms
    Lookup by id     10 ms     20 ms     40 ms  p95 at most 500 ms
`);
    });

    test("as lines on a narrow terminal", () => {
      expect(render({ load: [measured] }, 40).replaceAll(/\s+/g, " ")).toContain(
        "Lookup by id: p50 10 ms, p95 20 ms, p99 40 ms; limit: p95 at most 500 ms",
      );
    });
  });

  test("refusals, invalid responses, reasons and notes", () => {
    const text = render({
      load: [
        {
          ...load,
          verdict: "fail",
          findings: [{ code: "recorded", subject: "responses violate the schema" }],
          notes: [{ code: "recorded", subject: "the limit was reached" }],
          retryAfter: { refused: 7, withRetryAfter: 6, longestSeconds: 2 },
          validated: { answers: 40, invalid: 1 },
        },
      ],
    }).replaceAll(/\s+/g, " ");
    expect(text).toContain("429: 7 (6 with Retry-After, longest wait 2 s)");
    expect(text).toContain("40 responses checked, 1 invalid");
    expect(text).toContain("responses violate the schema the limit was reached");
  });
});

test("an invalid response under load is shown with a curl line", () => {
  const finding = { code: "recorded", subject: "size is null" } as const;
  const flawed = { ...load, evidence: [{ request: "batch", finding, exchange: evidence }] };
  const text = render({ load: [flawed] });
  expect(text).toContain("Batch lookup: size is null");
  expect(text).toContain(`    ${evidence.curl}`);
});

describe("what a baseline adds", () => {
  const text = render(eventfulResults(" \u001b[31m"));

  test("drift: breaking changes first, harmless changes counted", () => {
    const [, changes = ""] = text.split("Contract changes since 2026-11-01 00:00 UTC\n");
    const shares = "on 40 of 40 products of acme before, on 0 of 40 now.";
    const lines = ["breaking", "notable"].map(
      (rank) => ` ${rank}: Field title \\u{1b}[31m: ${shares} (field-${rank})`,
    );
    expect(changes.replaceAll(/\s+/g, " ").startsWith(`${lines.join("")} 1 harmless change`)).toBe(true);
    const drift = { since: "2026-11-01T00:00:00.000Z", changes: [] };
    expect(render({ drift })).toContain("Contract changes since 2026-11-01 00:00 UTC\n  none");
  });

  test("waivers: expired and stale ones first, with the fix; waived failures say so", () => {
    const states = [...text.matchAll(/^ {2}(\w+): limits\.\w+, until 2027-01-31/gm)].map(
      ([, state]) => state,
    );
    expect(states).toEqual(["expired", "stale", "active", "unused"]);
    expect(text).toContain(
      "    What the waiver covers passes now. Remove the waiver (waivers.yaml, line 2 \\u{1b}[31m).",
    );
    expect(text.replaceAll(/\s+/g, " ")).toContain("(waived until 2027-01-31, CAT-1 \\u{1b}[31m)");
  });

  test("nothing without a baseline", () => {
    expect(render({ load: [load] })).not.toMatch(/Contract changes|Waivers|Old against new/);
  });
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
