import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { exampleExchange, exampleWaiver } from "../../../test/support/samples/example.ts";
import { hostileResults } from "../../../test/support/samples/hostile.ts";
import { failingRun } from "../../../test/support/samples/runs.ts";
import { reportOf } from "../../core/added.ts";
import type { Report } from "../model.ts";
import { writeHtml } from "./html.ts";
import { loadPageAssets } from "./page.ts";

const assets = await loadPageAssets();
const sample = reportOf(failingRun());
const pageOf = (report: Report = sample) => writeHtml(report, assets);

test("each id is the id of one element, and sentences lead to the items that they name", () => {
  const page = pageOf();
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, items } of sample.suites)
    expect(ids).toEqual(expect.arrayContaining([id, ...items.map((item) => item.id)]));
  expect(page).toContain('(<a href="#by-id.unentitled-slug"><code>by-id.unentitled-slug</code></a>)');
});

test("two places stand beside each other, each with what it shows marked, and what is right is not shown as wrong", () => {
  const page = pageOf();
  const places = page.slice(page.indexOf('<p class="heading"><bdi>Compared with'));
  const pairs = [
    ...places.matchAll(/heading"><bdi>(.*?)<\/bdi>.*?<pre(.*?) tabindex.*?<mark>(.*?)<\/mark>/gs),
  ];
  expect(pairs.slice(0, 2).map(([, ...found]) => found)).toEqual([
    ["Compared with", ' class="good"', "&quot;title&quot;: &quot;Ōsaka Works Puzzle Pro 3&quot;,"],
    ["Seen", "", "&quot;title&quot;: &quot;ŌSAKA WORKS PUZZLE PRO 3&quot;,"],
  ]);
});

test("only http addresses of tickets are links, and files beside the page", () => {
  const waivers = [{ waiver: exampleWaiver(), state: "expired" as const }];
  const page = pageOf(reportOf(failingRun("", { waivers })));
  expect(page).toContain('<a href="https://tickets.example/CAT-17" rel="noreferrer noopener">');
  expect(page).toContain('<a href="load/batch/dashboard.html">');
  expect(/href="javascript:/i.exec(pageOf(reportOf(hostileResults(1))))).toBeNull();
});

test("text of megabytes is cut, with a note of the length", () => {
  const [suite] = sample.suites;
  const [item] = suite?.items ?? [];
  if (suite === undefined || item === undefined) throw new Error("nothing failed");
  const many = (text: string) => text.repeat(100_000);
  const huge = {
    ...item,
    said: [{ message: many("&"), where: [], places: [] }],
    evidence: [{ ...exampleExchange({ body: many("<") }), curl: many("z") }],
  };
  const page = pageOf({ ...sample, suites: [{ ...suite, items: [huge] }] });
  expect(Buffer.byteLength(page)).toBeLessThan(300_000);
  for (const cut of [
    `${"&lt;".repeat(25_000)}… (75,000 more characters)</pre>`,
    `${"z".repeat(25_000)}… (75,000 more characters)</code>`,
  ])
    expect(page.includes(cut)).toBe(true);
  expect(/&amp;… \([\d,]+ more characters\)<\/bdi>/.test(page)).toBe(true);
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
