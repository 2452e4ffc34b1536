import type { Results } from "../../../schemas/contracts/results.ts";
import { excerptOf } from "../../../schemas/excerpt.ts";
import { pointer } from "../../../schemas/json.ts";
import { exampleDifference } from "./example.ts";
import { sampleExchange, sampleFinding, sampleLoad, sampleResults } from "./sample.ts";

/** Attacks on an HTML page, by what they try. */
export const hostileMarkup = {
  script: "</script><script>window.owned = true</script>",
  image: `"'><img src=x onerror="window.owned=true"><svg onload=window.owned=true>`,
  comment: "<!--<script>]]>&lt;b&gt;{{7*7}}",
  bidi: "price\u202Egnp.exe\u2066\u2069\u200Bend\uFEFF",
  control: "a\u0000b\u0007\u001B[31mred\u007F\u0085\r\nnext",
  separators: "one\u2028two\u2029three",
  surrogate: "half \uD83D pair",
  url: "javascript:window.owned=true",
} as const;

/** A run in which all texts of a target are hostile. One text has `huge` characters. */
export function hostileResults(huge = 3_000_000): Results {
  const every = Object.values(hostileMarkup).join(" ");
  const exchange = sampleExchange({
    body: every,
    excerpts: [excerptOf({ before: every, [every]: every }, pointer(every), (text) => text)],
    headers: { "content-type": every, [every.replaceAll(/\s/g, "")]: "x" },
  });
  const hostile = { ...exchange, request: { ...exchange.request, url: every, body: every }, curl: every };
  const big = {
    ...exchange,
    response: { ...exchange.response, body: "<".repeat(huge) },
    curl: "z".repeat(huge),
  };
  const finding = sampleFinding(
    { id: "errors.hostile", statement: every, section: every },
    {
      title: every,
      findings: [{ code: "recorded", subject: every + "&".repeat(huge) }],
      evidence: [hostile, big],
    },
  );
  const notJudged = sampleFinding(
    { id: "errors.not-judged", verdict: "inconclusive" },
    { findings: [{ code: "recorded", subject: every }] },
  );
  const load = sampleLoad();
  return sampleResults({
    target: { name: every, baseUrl: every, keyFingerprint: "0123456789ab" },
    problem: { what: every, where: every, fix: every },
    requirements: [finding, notJudged],
    waivers: [
      {
        waiver: { id: every, reason: every, owner: every, ticket: hostileMarkup.url, expires: "2027-01-31" },
        state: "stale",
        where: every,
      },
    ],
    parts: {
      earlier: {
        startedAt: "2026-11-14T08:00:00.000Z",
        differences: [exampleDifference(every)],
        verdicts: [],
      },
    },
    discovered: {
      retailers: [every],
      dialect: { gtin: every },
      fields: { [every]: 1 },
      rateLimit: { refused: 0 },
      fixtures: [{ name: every, present: true, value: every }],
      fieldsByRetailer: { [every]: { products: 1, fields: { [every]: 1 } } },
      statuses: { [every]: { "200": 1 } },
    },
    load: [
      {
        ...load,
        scenario: every,
        findings: [{ code: "recorded", subject: every }],
        notes: [{ code: "recorded", subject: every }],
        evidence: [{ request: every, finding: { code: "recorded", subject: every }, exchange: hostile }],
        metrics: { [every]: { [every]: 1 } },
      },
    ],
  });
}

/** Attacks on XML, Markdown, JSON and terminals. Tests look for each text, or for what it would have done. */
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
