import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { capitalized, counted, grouped } from "../../../schemas/words/format.ts";
import { blocksFor, type PageData, type PageDocument, type PageFilter, titleFor } from "../document.ts";
import type { PageAssets } from "./bundle-page.ts";
import { embeddedJson, fitExchanges } from "./fit-exchanges.ts";
import { HtmlWriter, type TextLimits } from "./html.ts";
import { type Html, html, raw } from "./markup.ts";

/** Maximum size of the page, and of its texts: exchanges get the room that the texts leave. */
const mostBytes = 4_900_000;
const mostTextBytes = 8_000_000;
/** The first one almost always fits; a target may fill texts with characters that need escaping. */
const measures: readonly [TextLimits, ...TextLimits[]] = [
  { sentence: 1500, tickets: 300 },
  { sentence: 200, tickets: 0 },
  { sentence: 40, tickets: 0 },
];

/**
 * A document as a self-contained HTML page. It sends no request, shows text of a target only as text, and without
 * JavaScript has everything except charts and exchanges.
 *
 * @param assets Script and style, if the caller has bundled them already.
 */
export async function writePage(document: PageDocument, assets?: PageAssets): Promise<string> {
  const { script, style } = assets ?? (await loadPageAssets());
  const written = bodyToFit(document);
  const { body, writer } = written;
  const room = mostBytes - textBytes(written) - script.length - style.length;
  const { data, cutAt } = dataOf(writer, Math.max(0, room));
  const { label, about, whole } = document;
  return renderPage({
    title: html`${capitalized(label)}: ${raw(writer.text(about).text.replaceAll(/<[^>]*>/g, ""))} (shelfcheck)`,
    style,
    script,
    body: html`${body}
${cutAt === undefined ? undefined : html`<p class="cut">Bodies are cut to ${counted(cutAt, "character")} here, to keep the page small. ${whole} has more of them.</p>`}
<script type="application/json" id="page-data">${raw(embeddedJson(data))}</script>`,
  });
}

interface WrittenBody {
  readonly body: Html;
  readonly writer: HtmlWriter;
}

function bodyToFit(document: PageDocument): WrittenBody {
  const [first, ...others] = measures;
  let written = bodyWithin(document, first);
  for (const limits of others) {
    if (textBytes(written) < mostTextBytes) break;
    written = bodyWithin(document, limits);
  }
  return written;
}

function textBytes({ body, writer: { tickets, charts } }: WrittenBody): number {
  return Buffer.byteLength(body.text) + Buffer.byteLength(embeddedJson([tickets, charts]));
}

function bodyWithin(document: PageDocument, limits: TextLimits): WrittenBody {
  const { tone, label, about, summary, head, blocks, skip, withoutScript, filter, whole } = document;
  const writer = new HtmlWriter(whole, limits);
  const parts = blocksFor("html", blocks).flatMap((block) => {
    if (block.kind !== "section" || block.id === undefined) return [];
    const title = titleFor("html", block);
    return title === undefined ? [] : [{ id: block.id, title, count: block.count }];
  });
  const body = html`<a class="skip" href="#main">${skip}</a>
<div class="page">
<header class="verdict ${tone}" id="verdict">
<p class="kind">${writer.text(about)}</p>
<h1><span class="word">${capitalized(label)}</span> ${writer.text(summary)}</h1>
${writer.blocks(head)}
<div class="tools" hidden><button type="button" id="theme">Theme</button><button type="button" id="keys" aria-haspopup="dialog">Keys</button></div>
</header>
<nav class="contents" aria-label="On this page"><ul>${parts.map(({ id, title, count }) => html`<li><a href="#${id}"><bdi>${writer.text(title)}</bdi>${count === undefined ? undefined : html` <span>${grouped(count)}</span>`}</a></li>`)}</ul></nav>
<main id="main">
${filter === undefined ? undefined : renderFilter(filter)}
<p class="note">${withoutScript}</p>
${writer.blocks(blocks)}
</main>
</div>
${renderKeys()}`;
  return { body, writer };
}

/** Exchanges of findings get room before the others. `cutAt` is set if bodies of findings were cut to fit. */
function dataOf(
  { slots, charts, tickets }: HtmlWriter,
  bytes: number,
): { data: PageData; cutAt: number | undefined } {
  const of = (ifRoom: boolean) =>
    slots.map(({ exchanges, ifRoom: isSpare = false }) => (isSpare === ifRoom ? exchanges : []));
  const findings = fitExchanges(of(false), bytes);
  const others = fitExchanges(of(true), bytes - findings.bytes);
  const offset = findings.exchanges.length;
  return {
    data: {
      charts,
      tickets,
      exchanges: [...findings.exchanges, ...others.exchanges],
      slots: findings.slots.map((places, at) => [
        ...places,
        ...(others.slots[at] ?? []).map((place) => place + offset),
      ]),
    },
    cutAt: findings.cutAt,
  };
}

/** Search and filters; hidden until the page's script has started. */
function renderFilter({ sections, verdicts }: PageFilter): Html {
  return html`<form class="filter" role="search" hidden>
<div class="fields">
<label class="search"><span>Search</span><input type="search" name="search" autocomplete="off" spellcheck="false" placeholder="id, requirement, finding" aria-keyshortcuts="/"></label>
<label class="by-section"><span>Section</span><select name="section"><option value="">All sections</option>${sections.map((name) => html`<option value="${name}">${name}</option>`)}</select></label>
<fieldset><legend>Verdicts</legend><div class="toggles">${verdicts.map(({ id, label }) => html`<label class="toggle"><input type="checkbox" name="verdict" value="${id}"> ${capitalized(label)}</label>`)}</div></fieldset>
</div>
<p class="found"><output name="found" aria-live="polite"></output> <button type="button" hidden>Clear</button></p>
</form>
`;
}

/** The dialog of keyboard shortcuts, which `?` opens. */
function renderKeys(): Html {
  const keys = [
    ["/", "search"],
    ["j", "next finding"],
    ["k", "previous finding"],
    ["↓ ↑", "the same, while on a finding"],
    ["Enter", "open or close it"],
    ["Esc", "close it, or clear the search"],
    ["?", "show these keys"],
  ] as const;
  return html`<dialog aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl>${keys.map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`)}</dl>
<form method="dialog"><button>Close</button></form></dialog>`;
}

/** `npm run build` writes the bundles here for the package. A checkout has no such folder. */
const builtFolder = new URL("../../../bundles/", import.meta.url);

/** Script and style of the page. A checkout bundles its sources; the package contains the bundles and needs no bundler. */
export async function loadPageAssets(): Promise<PageAssets> {
  const built = { script: new URL("page.js", builtFolder), style: new URL("page.css", builtFolder) };
  if (!existsSync(built.script)) return (await import("./bundle-page.ts")).bundlePage();
  const [script, style] = await Promise.all([readFile(built.script, "utf8"), readFile(built.style, "utf8")]);
  return { script, style };
}

/** Our own texts, never a target's, except for the title and the body. */
interface PageParts extends PageAssets {
  readonly title: Html;
  readonly body: Html;
}

/** The policy allows this style and script by their hashes, and nothing else: text of a target cannot run, and the page sends no request. */
function renderPage({ title, style, script, body }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashed(script)}`,
    `style-src ${hashed(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
<script>${raw(script)}</script>
</head>
<body>
${body}
</body>
</html>
`.text;
}

function hashed(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
