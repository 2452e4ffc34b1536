import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Results } from "../../../schemas/types.ts";
import { exampleResults, exampleThreshold } from "../../run/example.ts";
import { reportOf } from "../model.ts";
import { hostileResults, hostileTexts } from "../testing/hostile.ts";
import { manyFindings, sampleResults } from "../testing/sample.ts";
import type { PageAssets } from "./bundle-page.ts";
import { loadPageAssets } from "./document.ts";
import type { PageData } from "./embedding.ts";
import { renderHtml as renderReport } from "./page.ts";

const renderHtml = (results: Results, assets?: PageAssets) => renderReport(reportOf(results), assets);

let assets: PageAssets;

beforeAll(async () => {
  assets = await loadPageAssets("page");
});

/** What a reader without script is given: neither script, style nor data, and no markup. */
function shownText(page: string): string {
  return page
    .replaceAll(/<(script|style)\b[^>]*>.*?<\/\1>/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
}

function dataOf(page: string): PageData {
  const text = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
  return JSON.parse(text) as PageData;
}

describe("without script", () => {
  test("the verdict, the exit code and its meaning, then what broke", async () => {
    const text = shownText(await renderHtml(sampleResults(), assets));
    const order = [
      "gate of staging",
      "Not conformant",
      "1 requirement failed",
      "https://catalog.example/v1",
      "2026-11-21 08:00 UTC",
      "Exit code 1",
      "What to do Create a ticket",
      "shelfcheck explain latest errors.unknown-product --markdown",
      "shelfcheck replay latest errors.unknown-product",
      "Failed",
      "An unknown product gives 404",
      "expected status 404, got 410",
      "GET /v1/products/acme/none → 410",
      "{ &quot;error&quot;: { &quot;code&quot;: &quot;gone&quot;,",
      "Load: Batch (soak)",
      "Batch lookup, p95: 1,240 ms, limit 1,000 ms.",
      "Not judged",
      "There is no key of another organization. Set SHELFCHECK_OTHER_ORG_API_KEY.",
      "Waivers",
      "Contract changes",
      "Warnings",
      "Coverage of the spec",
    ];
    let from = text.indexOf(" gate of staging ") - 1;
    for (const part of order) {
      const place = text.indexOf(` ${part}`, from);
      expect({ part, found: place >= from }).toEqual({ part, found: true });
      from = place;
    }
    expect(text).toContain("failed in 2 of 5 attempts");
  });

  test.each([
    [{ verdict: "conformant", exitCode: 0 }, "Conformant 1 requirement passed."],
    [{ verdict: "error", exitCode: 3, requirements: [] }, "Error Nothing was judged."],
    [
      {
        verdict: "incomplete",
        exitCode: 130,
        problem: { what: "The run was interrupted", where: "gate", fix: "Again." },
      },
      "Incomplete The run was interrupted.",
    ],
  ] as const)("%j", async (change, says) => {
    const results = exampleResults({
      ...change,
      requirements: [...("requirements" in change ? [] : exampleResults().requirements)],
    });
    expect(shownText(await renderHtml(results, assets))).toContain(says);
  });

  test("a requirement has its id once, as a place to link to", async () => {
    const page = await renderHtml(sampleResults(), assets);
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of sampleResults().requirements) expect(ids).toContain(id);
  });

  test("every waiver shows what became of it and how to fix it; only a web address of a ticket is a link", async () => {
    const page = await renderHtml(sampleResults(), assets);
    expect(shownText(page)).toContain(
      " Not conformant: gate of staging (shelfcheck) Skip to the findings gate of staging Not conformant 1 requirement failed. Also: 1 load run failed, 1 breaking change since the baseline, 1 waiver has expired, and 1 requirement was not judged: There is no key of another organization. Set SHELFCHECK_OTHER_ORG_API_KEY. Target https://catalog.example/v1 When 2026-11-21 08:00 UTC , 5 s Exit code 1 The finding expected status 404, got 410 (failed in 2 of 5 attempts) errors.unknown-product What to do Create a ticket: each finding below has a button for it. shelfcheck explain latest errors.unknown-product --markdown Repeat it once it is fixed. shelfcheck replay latest errors.unknown-product Accept it temporarily, with an owner and an expiry date. shelfcheck baseline accept latest How this run was made Versions shelfcheck 0.0.0, specification /v1 Conformance requests 12 1 Failed 1 Not judged 2 Warnings 1 Passed 1 Not applicable 2 Waivers 2 Contract changes Passed Lookup (soak) Failed Batch (soak) Theme Keys Failed 2 Not judged 1 Waivers 2 Contract changes 2 Warnings 1 Load 2 Coverage of the spec 6 Discovered About this run Search Section All sections Errors Endpoints: GET /v1/retailers Authentication Product Verdicts Failed Not judged Warning Passed Not applicable Clear Without JavaScript, the page shows the verdict, the findings and the tables. Requests, responses and charts need JavaScript; results.json has them too. Failed Failed errors.unknown-product MUST, Errors An unknown product gives 404 with the code not_found. A product that is not there, asked by its id (failed in 2 of 5 attempts) expected status 404, got 410 GET /v1/products/acme/none → 410 HTTP 410 content-type: application/json { &quot;error&quot;: { &quot;code&quot;: &quot;gone&quot;, &quot;message&quot;: &quot;No more&quot; } } Copy as ticket Repeat: shelfcheck replay latest errors.unknown-product Request, response, curl Failed load.batch.soak table and charts Load: Batch (soak) Batch lookup, p95: 1,240 ms, limit 1,000 ms. Compare the latency chart with the request chart: latency that rises with the rate comes from the load, latency that stays high comes from the endpoint. Not judged There is no key of another organization. Set SHELFCHECK_OTHER_ORG_API_KEY. 1 requirement A key sees only what its organization may use. Not judged entitlement.other MUST, Authentication Its checks Waivers Waivers Waives State Reason Owner Ticket Until gone.check Expired The old gateway answers 410; it goes in spring. It expired after 2026-10-01. Fix what it waives and remove it, or agree on a later date with catalog-team (waivers.yaml, line 2). catalog-team https://tickets.example/CAT-17 2026-10-01 errors.waived Active The old gateway answers 410; it goes in spring. catalog-team https://tickets.example/CAT-17 2027-01-31 Warning errors.waived MUST, Errors Status 404 carries the code not_found. A product that is not there, asked by its id expected status 404, got 410 Waived until 2027-01-31 by catalog-team : The old gateway answers 410; it goes in spring. GET /v1/products/acme/none → 410 HTTP 410 content-type: application/json { &quot;error&quot;: { &quot;code&quot;: &quot;gone&quot;, &quot;message&quot;: &quot;No more&quot; } } Copy as ticket Repeat: shelfcheck replay latest errors.waived Request, response, curl Contract changes Compared with the baseline of 2026-11-14 08:00 UTC . Changes since the baseline Change Rank Of Rule Field gtin : on 98 of 100 products of acme before, on 0 of 120 now. Breaking gtin field-vanished Field brand : on 0 of 100 products of acme before, on 120 of 120 now. Harmless brand field-appeared Warnings Warning product.images SHOULD, Product Images are links. A product that is not there, asked by its id expected status 404, got 410 GET /v1/products/acme/none → 410 HTTP 410 content-type: application/json { &quot;error&quot;: { &quot;code&quot;: &quot;gone&quot;, &quot;message&quot;: &quot;No more&quot; } } Copy as ticket Repeat: shelfcheck replay latest product.images Request, response, curl Load Passed Lookup (soak) Requests 360,000 Rate 100/s p50 11.2 ms p95 31.8 ms p99 78.1 ms Failed 1 in 2,500 (0.04 %) 429 responses 310 (309 with Retry-After, longest wait 4 s) Checked 360,000 responses checked, 0 invalid (an error rate up to 0.000833 % could still go unseen) Latency, failed and invalid responses by endpoint, worst first Endpoint Responses p50 p95 limit 1,000 ms p99 Failed Invalid Lookup by id 120,000 10 ms 31 ms 3.2 % of it 76 ms – – Lookup by GTIN 120,000 13.3 ms 41.3 ms 101 ms – – Lookup by URL 120,000 16.7 ms 51.7 ms 127 ms – – Against earlier runs Same All requests: a change of 10 % or more is unlikely, and nothing is slower. 5 runs before, 3 now Latency against earlier runs Endpoint Statistic Verdict Before Now Change Interval Lookup by id p95 Same 30.2 ms 31.8 ms +5.3 % -2 % to +9 % Responses that broke a rule Lookup by id: size is null. GET /v1/products/acme/none → 200 Request, response, curl 3 products appeared again later in the same walk. Limits on the run as a whole: 0 of 1 passed Limits on the run as a whole Limit on Measured and limit Verdict Judges Iterations not started 2, limit 0 Failed the run The summary of k6, with every metric, is in load/ lookup in the run's folder. Failed Batch (soak) Requests 360,000 Rate 100/s p50 11.2 ms p95 31.8 ms p99 78.1 ms Failed 1 in 2,500 (0.04 %) 429 responses 310 (309 with Retry-After, longest wait 4 s) Checked 360,000 responses checked, 0 invalid (an error rate up to 0.000833 % could still go unseen) Latency, failed and invalid responses by endpoint, worst first Endpoint Responses p50 p95 limit 1,000 ms p99 Failed Invalid Lookup by id 120,000 10 ms 31 ms 3.2 % of it 76 ms – – Lookup by GTIN 120,000 13.3 ms 41.3 ms 101 ms – – Lookup by URL 120,000 16.7 ms 51.7 ms 127 ms – – Against earlier runs Same All requests: a change of 10 % or more is unlikely, and nothing is slower. 5 runs before, 3 now Latency against earlier runs Endpoint Statistic Verdict Before Now Change Interval Lookup by id p95 Same 30.2 ms 31.8 ms +5.3 % -2 % to +9 % Responses that broke a rule Lookup by id: size is null. GET /v1/products/acme/none → 200 Request, response, curl 3 products appeared again later in the same walk. Limits on the run as a whole: 0 of 1 passed Limits on the run as a whole Limit on Measured and limit Verdict Judges Iterations not started 2, limit 0 Failed the run The summary of k6, with every metric, is in load/ batch in the run's folder. Coverage of the spec Endpoints: GET /v1/retailers 1 passed, 1 more not checked Not checked The list is scoped to the calling organization and is the live source of truth. The list is the live source of truth. What the list should hold cannot be seen from outside. retailers.live Passed The list of retailers is the live source of truth. retailers.listed Authentication 1 not judged, 1 more not checked Not checked Acceptance of terms of use is part of onboarding, before a key is activated. Keys are issued by the operator, after the terms are accepted. It happens before any request. authentication.onboarding Not judged A key sees only what its organization may use. entitlement.other Errors 1 failed, 1 warning, 1 not applicable, 1 more not checked Not checked Clients branch on code , never on message . A client branches on the code, never on the message. It binds clients; shelfcheck&#39;s own client complies with it. errors.branch-on-code Failed An unknown product gives 404 with the code not_found. errors.unknown-product Warning Status 404 carries the code not_found. errors.waived Not applicable A timeout upstream gives 504. errors.upstream Product 1 warning Warning Images are links. product.images Discovered Retailers acme 429 responses 0 About this run Tool shelfcheck 0.0.0 Command gate Target staging at https://catalog.example/v1 Key fingerprint 0123456789ab Started 2026-11-21 08:00 UTC Finished 2026-11-21 08:00 UTC Conformance requests 12 Conformance requests by endpoint Endpoint Requests Retailers 12 Everything on this page comes from results.json. Neither file contains keys. Keys / search j next finding k previous finding ↓ ↑ the same, while on a finding Enter open or close it Esc close it, or clear the search ? this Close ",
    );
    expect(page.includes('<a href="https://tickets.example/CAT-17" rel="noreferrer noopener">')).toBe(true);
    expect(/href="javascript/i.exec(await renderHtml(hostileResults(10), assets))).toBeNull();
  });
});

test("a crossed limit stands once, in the table; the card under Failed leads there and says what to do", async () => {
  const results = sampleResults();
  const { load = [] } = results;
  const limit = exampleThreshold({
    metric: "http_req_duration{name:batch,status:200}",
    request: "batch",
    limit: 1000,
    value: 1240,
    held: false,
  });
  const whole = exampleThreshold({
    crossing: "retry-after-malformed",
    statistic: "count",
    limit: 0,
    value: 3,
    unit: "count",
    held: false,
  });
  const crossed = load.slice(1).map((one) => ({
    ...one,
    findings: [
      ...one.findings,
      { code: "retry-after-malformed" as const, seen: { count: 3, total: 9, of: "responses" as const } },
    ],
    thresholds: [limit, whole],
    percentiles: [{ endpoint: "batch", count: 2000, at: [50, 95, 99], milliseconds: [100, 1240, 1900] }],
  }));
  const page = await renderHtml({ ...results, requirements: [], load: crossed }, assets);
  const text = shownText(page.slice(page.indexOf('id="failed"')));
  expect(text).toContain("1 limit crossed: Batch lookup, p95 . Compare the chart");
  expect(text.split("1,240 ms").length - 1).toBe(1);
  expect(text).toContain(
    "p95 limit 1,000 ms p99 Failed Invalid Batch lookup 2,000 100 ms 1,240 ms 1.24 times the limit",
  );
  expect(text.split("3 of 9").length - 1).toBe(1);
  expect(text).toContain("stated above");
  const [, target] = /href="#(limit-[^"]+)"/.exec(page) ?? [];
  expect(page.split(`id="${target}"`)).toHaveLength(2);
});

test("a crossed threshold that is waived says by whom and until when, and is not shown as a failure", async () => {
  const results = sampleResults();
  const waiver = {
    id: "load.lookup/a",
    reason: "known",
    owner: "Ada",
    ticket: "CAT-1",
    expires: "2027-01-31",
  };
  const load = results.load.map((each) => ({
    ...each,
    thresholds: [exampleThreshold({ held: false, waiver })],
  }));
  const text = shownText(await renderHtml({ ...results, load }, assets));
  expect(text).toContain("Waived until 2027-01-31 by Ada: known");
});

test("a field with a name that every object knows is counted like any other", async () => {
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
    // What is left of script elements is the data; nothing in it ends it early.
    expect([...own.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script type="application/json" id="page-data">',
    ]);
    const tags = new Set([...own.matchAll(/<([a-z][^\s>]*)/g)].map(([, tag]) => tag));
    expect(tags.has("img")).toBe(false);
    expect(/<[^>]*\son\w+=/.test(own.replaceAll(/"[^"]*"/g, '""'))).toBe(false);
    expect(own.includes("&lt;/script&gt;&lt;script&gt;window.owned = true")).toBe(true);
  });

  test("nothing unseen is left, in text, attribute or data; it stands as marks", async () => {
    const page = await renderHtml(hostileResults(1000), assets);
    expect(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.exec(page.replaceAll(/[\n\t]/g, ""))).toBeNull();
    expect(page.includes("price‹U+202E›gnp.exe‹U+2066›‹U+2069›‹U+200B›end‹U+FEFF›")).toBe(true);
    expect(page.includes("a␀b␇␛[31mred␡‹U+0085›␍")).toBe(true);
    expect(page.includes("half ‹U+D83D› pair")).toBe(true);
  });

  test("the data is what it was, cut where it is megabytes long, with a note of how much", async () => {
    const huge = 3_000_000;
    const page = await renderHtml(hostileResults(huge), assets);
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
    const { exchanges } = dataOf(page);
    expect(exchanges[0]?.response.body).toBe(Object.values(hostileTexts).join(" "));
    expect(exchanges[1]?.response.body).toBe(`${"<".repeat(4000)}… (2,996,000 more characters)`);
    expect(exchanges[1]?.curl).toBe(`${"z".repeat(10_000)}… (2,990,000 more characters)`);
    expect(/&amp;… \([\d,]+ more characters\)/.test(page)).toBe(true);
  });
});

describe("the policy", () => {
  test("lets in our own script and style by their hash, and nothing else", async () => {
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

  test("script and style hold nothing that ends their element or asks the network", () => {
    expect(/<\/script|<!--/i.exec(assets.script)).toBeNull();
    expect(/<\/style|url\(|@import/i.exec(assets.style)).toBeNull();
    expect(
      /\bfetch\(|XMLHttpRequest|WebSocket|innerHTML|\beval\(|new Function/.exec(assets.script),
    ).toBeNull();
  });
});

describe("5,000 findings", { timeout: 240_000 }, () => {
  test("stay below 10 MB, each with its exchange, and the page says that it cut them", async () => {
    const page = await renderHtml(manyFindings(5000), assets);
    expect(Buffer.byteLength(page)).toBeLessThan(10_000_000);
    const { slots, exchanges } = dataOf(page);
    expect(slots.filter((places) => places.length > 0)).toHaveLength(5001);
    expect(exchanges[4000]?.response.body).toMatch(/more characters\)$/);
    expect(/Bodies are cut to [\d,]+ characters/.test(page)).toBe(true);
  });

  test("and even if every text of them is hostile and long", async () => {
    const results = manyFindings(5000);
    const long = hostileTexts.bidi.repeat(40);
    for (const requirement of results.requirements) {
      requirement.statement = long;
      for (const check of requirement.checks) Object.assign(check, { title: long, reason: long });
    }
    expect(Buffer.byteLength(await renderHtml(results, assets))).toBeLessThan(10_000_000);
  });
});
