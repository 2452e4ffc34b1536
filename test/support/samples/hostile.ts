import type { Results } from "../../../schemas/contracts/results.ts";
import { exampleCheck, exampleExchange, exampleRequirement, exampleWaiver } from "./example.ts";
import { failingRun, recordedRun } from "./runs.ts";

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

/** A run in which all texts of a target are hostile. One finding, body and command have `huge` characters. */
export function hostileResults(huge = 300_000): Results {
  const every = Object.values(hostileMarkup).join(" ");
  const { requirements, load, waivers = [], parts, ...failing } = failingRun(` ${every} `);
  const headers = { [every.replaceAll(/\s/g, "")]: every };
  const { request, response } = exampleExchange({ headers, body: "<".repeat(huge) });
  const check = exampleCheck({
    verdict: "fail",
    title: every,
    says: every + "&".repeat(huge),
    evidence: [{ request: { ...request, body: every }, response, curl: "z".repeat(huge) }],
  });
  const hostile = { id: "errors.hostile", statement: every, section: every, verdict: "fail" as const };
  const waiver = exampleWaiver({ id: every, owner: every, ticket: hostileMarkup.url });
  return {
    ...failing,
    parts: { ...parts, ...recordedRun("twin", ` ${every} `).parts },
    problem: { what: every, where: every, fix: every },
    requirements: [...requirements, exampleRequirement({ ...hostile, checks: [check] })],
    waivers: [{ waiver, state: "stale", where: every }, ...waivers],
    discovered: {
      retailers: [every],
      dialect: { gtin: every },
      fields: { [every]: 1 },
      rateLimit: { refused: 0 },
      fixtures: [{ name: every, present: true, value: every }],
      fieldsByRetailer: { [every]: { products: 1, fields: { [every]: 1 } } },
    },
    load: load.map((one) => ({ ...one, scenario: every, metrics: { [every]: { [every]: 1 } } })),
  };
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
