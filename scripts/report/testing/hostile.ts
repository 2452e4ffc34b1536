import { excerptOf } from "../../../schemas/excerpt.ts";
import type { Results } from "../../../schemas/types.ts";
import { sampleExchange, sampleFinding, sampleLoad, sampleResults } from "./sample.ts";

/** What a target may put into any text that it controls. */
export const hostileTexts = {
  script: "</script><script>window.owned = true</script>",
  image: `"'><img src=x onerror="window.owned=true"><svg onload=window.owned=true>`,
  comment: "<!--<script>]]>&lt;b&gt;{{7*7}}",
  bidi: "price\u202Egnp.exe\u2066\u2069\u200Bend\uFEFF",
  control: "a\u0000b\u0007\u001B[31mred\u007F\u0085\r\nnext",
  separators: "one\u2028two\u2029three",
  surrogate: "half \uD83D pair",
  url: "javascript:window.owned=true",
} as const;

/** A run in which every text that a target reaches is hostile; `huge` is also megabytes long. */
export function hostileResults(huge = 3_000_000): Results {
  const every = Object.values(hostileTexts).join(" ");
  const exchange = sampleExchange({
    body: every,
    excerpts: [
      excerptOf(
        { before: every, [every]: every },
        `/${every.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        (text) => text,
      ),
    ],
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
  const unjudged = sampleFinding(
    { id: "errors.unjudged", verdict: "inconclusive" },
    { findings: [{ code: "recorded", subject: every }] },
  );
  const load = sampleLoad(20);
  return sampleResults({
    target: { name: every, baseUrl: every, keyFingerprint: "0123456789ab" },
    problem: { what: every, where: every, fix: every },
    requirements: [finding, unjudged],
    waivers: [
      {
        waiver: { id: every, reason: every, owner: every, ticket: hostileTexts.url, expires: "2027-01-31" },
        state: "stale",
        where: every,
      },
    ],
    drift: {
      since: "2026-11-14T08:00:00.000Z",
      changes: [
        {
          rank: "breaking",
          kind: "field",
          rule: "r",
          subject: every,
          retailers: [{ retailer: every, before: { count: 1, total: 1 }, after: { count: 0, total: 1 } }],
        },
      ],
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
        percentiles: (load.percentiles ?? []).map((one) => ({ ...one, endpoint: every })),
        evidence: [{ request: every, finding: { code: "recorded", subject: every }, exchange: hostile }],
        metrics: { [every]: { [every]: 1 } },
      },
    ],
  });
}
