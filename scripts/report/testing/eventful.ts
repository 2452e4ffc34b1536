import { excerptOf } from "../../../schemas/excerpt.ts";
import type { CheckResult, Evidence, LoadResult, Results } from "../../../schemas/types.ts";
import { exampleCheck, exampleRequirement, exampleResults, exampleThreshold } from "../../run/example.ts";

/**
 * Results in which everything happens at least once, for the tests of reports. Each text that a target, or whoever
 * writes a config or a waiver, has a hand in ends in `marker`.
 */
export function eventfulResults(marker = ""): Results {
  const verdicts = ["pass", "fail", "warn", "inconclusive", "notApplicable", "error"] as const;
  const requirements = verdicts.map((verdict) =>
    exampleRequirement({
      id: `errors.${verdict}`,
      verdict,
      checks: [check(verdict, marker)],
    }),
  );
  return exampleResults({
    verdict: "violations",
    exitCode: 1,
    target: {
      name: `staging${marker}`,
      baseUrl: `https://catalog.example/v1${marker}`,
      keyFingerprint: "none",
    },
    requirements: [
      ...requirements,
      exampleRequirement({
        id: "limits.unjudged",
        section: "Limits",
        verdict: "inconclusive",
        checks: [
          exampleCheck({ id: "limits.unjudged/one", verdict: "inconclusive", says: `no key${marker}` }),
        ],
      }),
      exampleRequirement({
        id: "limits.waived",
        section: "Limits",
        verdict: "warn",
        checks: [{ ...check("warn", marker), id: "limits.waived/one", waiver: waiver(marker) }],
      }),
    ],
    load: [load(marker)],
    waivers: (["active", "unused", "stale", "expired"] as const).map((state) => ({
      waiver: { ...waiver(marker), id: `limits.${state}` },
      state,
      where: `waivers.yaml, line 2${marker}`,
    })),
    drift: {
      since: "2026-11-01T00:00:00.000Z",
      changes: (["breaking", "notable", "harmless"] as const).map((rank) => ({
        rank,
        kind: "field",
        rule: `field-${rank}`,
        subject: `title${marker}`,
        retailers: [
          {
            retailer: "acme",
            before: { count: 40, total: 40 },
            after: { count: 0, total: 40 },
          },
        ],
      })),
    },
  });
}

/** One exchange whose answer is `body`. */
export function exampleEvidence(body: string): Evidence {
  return {
    request: {
      method: "GET",
      url: `https://catalog.example/v1/products/acme/${body}`,
      headers: { accept: body },
    },
    response: { status: 410, headers: { "content-type": body }, body, milliseconds: 3.4 },
    curl: `curl -H "X-Api-Key: $SHELFCHECK_API_KEY" 'https://catalog.example/v1/products/acme/${body}'`,
  };
}

/** An exchange with the place that a finding names. */
function excerpted(marker: string): Evidence {
  const { response, ...exchange } = exampleEvidence(marker);
  const excerpt = excerptOf({ error: { code: `gone${marker}`, [marker]: 1 } }, "/error/code", (text) => text);
  return { ...exchange, response: { ...response, excerpts: [excerpt] } };
}

function check(verdict: CheckResult["verdict"], marker: string): CheckResult {
  return {
    id: `errors.${verdict}/one`,
    title: `title of ${verdict}`,
    verdict,
    findings: [{ code: "recorded", subject: `reason of ${verdict}${marker}` }],
    evidence: [exampleEvidence(`{"error":"gone"}${marker}`), excerpted(marker)],
  };
}

function waiver(marker: string) {
  const reason = `known${marker}`;
  return {
    id: "limits.waived",
    reason,
    owner: `team${marker}`,
    ticket: `CAT-1${marker}`,
    expires: "2026-12-31",
  };
}

function load(marker: string): LoadResult {
  return {
    scenario: "lookup",
    profile: `own${marker}`,
    verdict: "slower",
    findings: [{ code: "recorded", subject: `slower than before${marker}` }],
    notes: [{ code: "recorded", subject: `the limit was met${marker}` }],
    thresholds: [
      exampleThreshold(),
      exampleThreshold({
        metric: "http_req_failed{name:lookup-by-id}",
        crossing: "failed-requests",
        statistic: "share",
        limit: 0.01,
        value: 0.02,
        unit: "share",
        held: false,
      }),
      exampleThreshold({
        metric: "http_req_duration{name:batch,status:200}",
        request: "batch",
        statistic: "p99",
        limit: 900,
        value: 1200,
        held: false,
        waiver: waiver(marker),
      }),
      {
        metric: "dropped_iterations",
        crossing: "iterations-dropped",
        statistic: "count",
        bound: "most",
        limit: 0,
        value: 2,
        unit: "count",
        held: false,
        guards: "run",
      },
    ],
    metrics: {
      http_reqs: { count: 1240, rate: 10.5 },
      http_req_duration: { "p(95)": 12.34 },
      http_req_failed: { rate: 0.02 },
      "http_req_failed{name:lookup-by-id}": { rate: 0.02 },
    },
    retryAfter: { refused: 7, withRetryAfter: 6, longestSeconds: 2 },
    evidence: [
      {
        finding: { code: "recorded", subject: `size is null${marker}` },
        request: "lookup-by-id",
        exchange: exampleEvidence(marker),
      },
    ],
    validated: { answers: 40, invalid: 1 },
    comparison: {
      answer: "slower",
      findings: [{ code: "recorded", subject: `by 20 %${marker}` }],
      runs: { before: 3, after: 1 },
      endpoints: (["slower", "same", "faster", "inconclusive", "refused"] as const).map((answer) => ({
        endpoint: "lookup-by-id",
        statistic: `p95 ${answer}`,
        answer,
        before: 10,
        after: 12,
        change: 0.2,
        low: 0.15,
        high: 0.25,
      })),
    },
  };
}

/** What a hostile or careless target may answer; each is looked for, or for what it would have done, by the tests. */
export const hostileTexts = [
  "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "]]>&amp;&lt;<!--<?xml?>",
  "\u0000\u0001\u001b[31m\u007f\u0085\uFFFE\uFFFF\uD800x\uDC00",
  "\u202Egnp.exe\u2066\u200B\uFEFF\u2028\u2029",
  "a | b || c \\| d `e` ``f`` ```\n```\n~~~\n# heading\n| x | y |\n| - | - |",
  "[link](https://evil.example) ![picture](https://evil.example/x.png) <https://evil.example> @octocat #1",
  "https://evil.example www.evil.example mail@evil.example [ref]: https://evil.example",
  "</details></summary></td></table> &#60;b&#62; *em* _em_ ~~del~~ $x$ :boom:",
  "1. one\n- two\n> three\n    four\r\nfive\rsix\tseven",
] as const;
