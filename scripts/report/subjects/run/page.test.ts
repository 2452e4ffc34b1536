import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { excerptOf } from "../../../../schemas/excerpt.ts";
import { exampleThreshold } from "../../../../test/support/samples/example.ts";
import { hostileMarkup, hostileResults } from "../../../../test/support/samples/hostile.ts";
import {
  manyFindings,
  sampleExchange,
  sampleFinding,
  sampleResults,
} from "../../../../test/support/samples/sample.ts";
import type { PageAssets } from "../../writers/bundle-page.ts";
import { loadPageAssets } from "../../writers/page.ts";
import { renderHtml as renderReport } from "./formats.ts";
import { reportOf } from "./run-report.ts";

const renderHtml = (results: Results, assets?: PageAssets) => renderReport(reportOf(results), assets);

let assets: PageAssets;

beforeAll(async () => {
  assets = await loadPageAssets();
});

/** The text of the page: no script, style or markup. */
function shownText(page: string): string {
  return page
    .replaceAll(/<(script|style)\b[^>]*>.*?<\/\1>/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
}

describe("without script", () => {
  test("each requirement has one element with its id", async () => {
    const page = await renderHtml(sampleResults(), assets);
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of sampleResults().requirements) expect(ids).toContain(id);
  });

  test("only http addresses of tickets are links", async () => {
    const page = await renderHtml(sampleResults(), assets);
    expect(page.includes('<a href="https://tickets.example/CAT-17" rel="noreferrer noopener">')).toBe(true);
    expect(/href="javascript/i.exec(await renderHtml(hostileResults(10), assets))).toBeNull();
  });
});

describe("the body beside a finding", () => {
  const exchangeOf = (price: number): Evidence =>
    sampleExchange({ excerpts: [excerptOf({ price }, "/price", (text) => text)] });
  const blocksOf = async (finding: Finding, evidence: Evidence[]): Promise<[string, string][]> => {
    const failed = sampleFinding({}, { findings: [finding], evidence });
    const page = await renderHtml(sampleResults({ requirements: [failed], load: [] }), assets);
    return [...page.matchAll(/<pre class="(excerpt[^"]*)".*?<mark>(.*?)<\/mark>/gs)].map(
      ([, classes = "", mark = ""]) => [classes, shownText(mark)],
    );
  };

  test("marks the value that it was compared with as right, and the other one as wrong", async () => {
    const finding: Finding = {
      code: "differs-between-ways",
      subject: "price",
      path: "/price",
      expected: 24.94,
      actual: 2494,
      exchange: 0,
      comparedWith: 1,
    };
    expect(await blocksOf(finding, [exchangeOf(2494), exchangeOf(24.94)])).toEqual([
      ["excerpt reference", "&quot;price&quot;: 24.94"],
      ["excerpt", "&quot;price&quot;: 2494"],
    ]);
  });

  test("marks the place of a product that is missing elsewhere as right", async () => {
    const finding: Finding = { code: "item-missing", path: "/price", exchange: 0 };
    const [[classes] = []] = await blocksOf(finding, [exchangeOf(1)]);
    expect(classes).toBe("excerpt reference");
  });
});

test("a load run that passed only because of a waiver does not look like one that passed without", async () => {
  const [first] = sampleResults().load;
  if (first === undefined) throw new TypeError("the sample has a load run");
  const chipOf = async (thresholds: LoadResult["thresholds"]) => {
    const load = [{ ...first, verdict: "pass" as const, thresholds }];
    const page = await renderHtml({ ...sampleResults(), load }, assets);
    return /id="load-0"><h3><span class="chip (\w+)">(\w+)/.exec(page)?.slice(1);
  };
  const waiver = { id: "load", reason: "known", owner: "Ada", ticket: "CAT-1", expires: "2027-01-31" };
  expect(await chipOf([exampleThreshold({ met: true })])).toEqual(["good", "Passed"]);
  expect(await chipOf([exampleThreshold({ met: false, waiver })])).toEqual(["notice", "Passed"]);
});

test("fields named like members of Object.prototype are counted", async () => {
  const results = sampleResults();
  const discovered = {
    ...results.discovered,
    fields: { constructor: 3 },
    fieldsByRetailer: { acme: { products: 3, fields: {} } },
  };
  const text = shownText(await renderHtml({ ...results, discovered }, assets));
  expect(text).toContain("constructor 3 0");
});

describe("hostile text", () => {
  test("is never markup", async () => {
    const page = await renderHtml(hostileResults(1000), assets);
    const own = page.replaceAll(/<(script|style)>.*?<\/\1>/gs, "");
    expect([...own.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([]);
    const tags = new Set([...own.matchAll(/<([a-z][^\s>]*)/g)].map(([, tag]) => tag));
    expect(tags.has("img")).toBe(false);
    expect(/<[^>]*\son\w+=/.test(own.replaceAll(/"[^"]*"/g, '""'))).toBe(false);
    expect(own.includes("&lt;/script&gt;&lt;script&gt;window.owned = true")).toBe(true);
  });

  test("invisible characters in text and attributes become marks", async () => {
    const page = await renderHtml(hostileResults(1000), assets);
    expect(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.exec(page.replaceAll(/[\n\t]/g, ""))).toBeNull();
    expect(page.includes("price‹U+202E›gnp.exe‹U+2066›‹U+2069›‹U+200B›end‹U+FEFF›")).toBe(true);
    expect(page.includes("a␀b␇␛[31mred␡‹U+0085›␍")).toBe(true);
    expect(page.includes("half ‹U+D83D› pair")).toBe(true);
  });

  test("megabytes are cut, with a note of the length", async () => {
    const huge = 3_000_000;
    const page = await renderHtml(hostileResults(huge), assets);
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
    expect(page).toContain(`${"&lt;".repeat(4000)}… (2,996,000 more characters)</pre>`);
    expect(page).toContain(`>${"z".repeat(10_000)}… (2,990,000 more characters)</pre>`);
    expect(/&amp;… \([\d,]+ more characters\)/.test(page)).toBe(true);
  });
});

describe("the policy", () => {
  test("allows only the page's script and style, by their hashes", async () => {
    const page = await renderHtml(sampleResults(), assets);
    const policy =
      /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll("&#39;", "'") ?? "";
    const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hash(assets.script)}`,
      `style-src ${hash(assets.style)}`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(page.includes(`<script>${assets.script}</script>`)).toBe(true);
    expect(/<[^>]*\sstyle=/.exec(page)).toBeNull();
  });

  // So the accessibility rules about colours need only one width.
  test("no colour depends on the width of the window", () => {
    const forWidths = [...assets.style.matchAll(/@media[^{]*width[^{]*\{((?:[^{}]|\{[^{}]*\})*)\}/g)];
    expect(forWidths.length).toBeGreaterThan(2);
    for (const [block] of forWidths)
      expect(/[;{](?:[-a-z]*color|background[-a-z]*|opacity|filter|--[-\w]+):/.exec(block)).toBeNull();
  });

  test("script and style contain no end tag and no address", () => {
    expect(/<\/script|<!--/i.exec(assets.script)).toBeNull();
    expect(/<\/style|url\(|@import/i.exec(assets.style)).toBeNull();
    expect(
      /\bfetch\(|XMLHttpRequest|WebSocket|innerHTML|\beval\(|new Function/.exec(assets.script),
    ).toBeNull();
  });
});

describe("more than 200 findings", { timeout: 240_000 }, () => {
  test("are counted; the others fit into 5 MB, with exchanges as far as there is room", async () => {
    const page = await renderHtml(manyFindings(1000), assets);
    expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
    expect(page.split('<article class="card').length - 1).toBe(200);
    expect(shownText(page)).toMatch(/467 more requirements are in results.json.*333 more requirements are/);
    expect(page.split('<div class="exchange">').length).toBeGreaterThan(100);
    expect(shownText(page)).toContain("results.json has all of them.");
  });

  test("fit even if all their texts are hostile and long", async () => {
    const results = manyFindings(5000);
    const long = hostileMarkup.bidi.repeat(40);
    for (const requirement of results.requirements) {
      requirement.statement = long;
      for (const check of requirement.checks) Object.assign(check, { title: long, reason: long });
    }
    expect(Buffer.byteLength(await renderHtml(results, assets))).toBeLessThan(10_000_000);
  });
});
