import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { hostileMarkup } from "../../../test/support/samples/hostile.ts";
import { hostileReport, sampleReport } from "../../../test/support/samples/sample-report.ts";
import type { Report } from "../model.ts";
import type { PageAssets } from "./bundle-page.ts";
import { writeHtml } from "./html.ts";
import { loadPageAssets } from "./page.ts";

let assets: PageAssets;

beforeAll(async () => {
  assets = await loadPageAssets();
});

const pageOf = (report: Report = sampleReport()) => writeHtml(report, assets);

/** The markup of the page without script and style. */
const markup = (page: string) => page.replaceAll(/<(script|style)>.*?<\/\1>/gs, "");

/** The text of a page or a part of it. */
function shown(page: string): string {
  return markup(page)
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
}

test("the verdict and why stand before everything else, and everything is said once", () => {
  const text = shown(pageOf());
  expect(text).toMatch(
    /Skip to the results gate of staging at https:\/\/catalog\.example\/v1 Not conformant 2 requirements failed\. Also: /,
  );
  for (const once of ["p-1 is in 2 pages.", "12.3 ms, limit 10 ms.", "2 requirements failed."])
    expect(text.split(once)).toHaveLength(2);
});

test("an item has its fact, requirement, quote, number, remedy, place, and commands, in this order", () => {
  const page = pageOf(sampleReport({ suites: sampleReport().suites.slice(0, 1) }));
  const item = shown(page.slice(page.indexOf('<details class="item')));
  const parts = [
    "Failed The status is 410. errors.unknown-product",
    "Errors, MUST: An unknown product gives 404 with the code not_found . An unknown product is answered with 404",
    "Failed in 2 of 5 attempts. An unknown product, requested by its id",
    "12 of 258 responses (4.65 %) acme 12 of 40, bolt 0 of 40",
    "Answer 404.",
    "GET /v1/products/acme/none → 410 HTTP 410 expected 404 { … 2 fields omitted }",
    "Ticket npx shelfcheck explain latest errors.unknown-product --markdown",
    "Repeat npx shelfcheck replay latest errors.unknown-product",
    "Request, response, curl",
    "Response 410, sent at 08:00:01.500 UTC, 3.2 ms content-type: application/json",
    "curl curl -sS -i",
  ];
  const places = parts.map((part) => item.indexOf(part));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
});

test("each id is the id of one element, and sentences lead to the items that they name", () => {
  const page = pageOf();
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, items } of sampleReport().suites)
    expect(ids).toEqual(expect.arrayContaining([id, ...items.map((item) => item.id)]));
  expect(page).toContain(
    '<th scope="row"><bdi><a href="#errors.waived"><code>errors.waived</code></a></bdi></th>',
  );
});

test("two places stand beside each other, each with what it shows marked, and what is right is not shown as wrong", () => {
  const page = pageOf();
  const places = page.slice(page.indexOf('<p class="heading">First'), page.indexOf("Product <code>p-2"));
  const pairs = [...places.matchAll(/heading">(.*?)<\/p>.*?<pre(.*?) tabindex.*?<mark>(.*?)<\/mark>/gs)];
  expect(pairs.map(([, ...found]) => found)).toEqual([
    ["First", ' class="good"', "&quot;price&quot;: 24.94"],
    ["Again", "", "&quot;price&quot;: 2494"],
  ]);
});

test("only http addresses of tickets are links, and files beside the page", () => {
  const page = pageOf();
  expect(page).toContain('<a href="https://tickets.example/CAT-17" rel="noreferrer noopener">');
  expect(page).toContain('<a href="load/lookup/dashboard.html">');
  expect(page).toContain('<a href="bodies/1.json">The whole body</a>');
  expect(/href="javascript:/i.exec(pageOf(hostileReport(hostileMarkup.url, 1)))).toBeNull();
});

describe("hostile text", () => {
  const every = Object.values(hostileMarkup).join(" ");

  test("of megabytes is cut, with a note of the length", () => {
    const page = pageOf(hostileReport(every, 3_000_000));
    expect(Buffer.byteLength(page)).toBeLessThan(500_000);
    for (const cut of [
      `${"&lt;".repeat(10_000)}… (2,990,000 more characters)</pre>`,
      `${"z".repeat(10_000)}… (2,990,000 more characters)</code>`,
    ])
      expect(page.includes(cut)).toBe(true);
    expect(/&amp;… \([\d,]+ more characters\)<\/bdi>/.test(page)).toBe(true);
  });
});

describe("the policy", () => {
  test("allows only the page's script and style, by their hashes", () => {
    const page = pageOf();
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
    expect(forWidths.length).toBeGreaterThan(1);
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
