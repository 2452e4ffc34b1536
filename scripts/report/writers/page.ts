import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { capitalized, grouped } from "../../../schemas/words/format.ts";
import { blocksFor, type PageDocument, type PageFilter, titleFor } from "../document.ts";
import type { PageAssets } from "./bundle-page.ts";
import { HtmlWriter } from "./html.ts";
import { type Html, html, raw } from "./markup.ts";

/**
 * A document as a self-contained HTML page. It sends no request, shows text of a target only as text, and without
 * JavaScript lacks only the filter and the buttons.
 *
 * @param assets Script and style, if the caller has bundled them already.
 */
export async function writePage(document: PageDocument, assets?: PageAssets): Promise<string> {
  const { script, style } = assets ?? (await loadPageAssets());
  const { label, about, whole } = document;
  const writer = new HtmlWriter(whole);
  const name = raw(writer.text(about).text.replaceAll(/<[^>]*>/g, ""));
  return renderPage({
    title: html`${capitalized(label)}: ${name} (shelfcheck)`,
    style,
    script,
    body: renderBody(document, writer),
  });
}

function renderBody(document: PageDocument, writer: HtmlWriter): Html {
  const { tone, label, about, summary, head, blocks, skip, filter } = document;
  const parts = blocksFor("html", blocks).flatMap((block) => {
    if (block.kind !== "section" || block.id === undefined) return [];
    const title = titleFor("html", block);
    return title === undefined ? [] : [{ id: block.id, title, count: block.count }];
  });
  return html`<a class="skip" href="#main">${skip}</a>
<div class="page">
<header class="verdict ${tone}" id="verdict">
<p class="kind faint">${writer.text(about)}</p>
<h1><span class="word">${capitalized(label)}</span> ${writer.text(summary)}</h1>
${writer.blocks(head)}
</header>
<nav class="contents" aria-label="On this page"><ul>${parts.map(({ id, title, count }) => html`<li><a href="#${id}"><bdi>${writer.text(title)}</bdi>${count === undefined ? undefined : html` <span>${grouped(count)}</span>`}</a></li>`)}</ul></nav>
<main id="main">
${filter === undefined ? undefined : renderFilter(filter)}
${writer.blocks(blocks)}
</main>
</div>`;
}

/** Search and filters; hidden until the page's script has started. */
function renderFilter({ sections, verdicts }: PageFilter): Html {
  return html`<form class="filter" role="search" hidden>
<div class="fields">
<label class="search"><span>Search</span><input type="search" name="search" autocomplete="off" spellcheck="false" placeholder="id, requirement, finding"></label>
<label class="by-section"><span>Section</span><select name="section"><option value="">All sections</option>${sections.map((name) => html`<option value="${name}">${name}</option>`)}</select></label>
<fieldset><legend>Verdicts</legend><div class="toggles">${verdicts.map(({ id, label }) => html`<label class="toggle"><input type="checkbox" name="verdict" value="${id}"> ${capitalized(label)}</label>`)}</div></fieldset>
</div>
<p class="found faint"><output name="found" aria-live="polite"></output> <button type="button" hidden>Clear</button></p>
</form>
`;
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
