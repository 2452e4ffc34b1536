import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { PageAssets, PageName } from "./bundle-page.ts";
import { embeddedJson } from "./embedding.ts";
import { type Html, html, quoted, raw, section } from "./markup.ts";

/** `npm run build` writes the bundled pages here for the package. A checkout has no such folder. */
const builtFolder = new URL("../../../bundles/", import.meta.url);

/** Script and style of a page. A checkout bundles its sources; the package contains the bundles and needs no bundler. */
export async function loadPageAssets(page: PageName): Promise<PageAssets> {
  const built = { script: new URL(`${page}.js`, builtFolder), style: new URL("page.css", builtFolder) };
  if (!existsSync(built.script)) return (await import("./bundle-page.ts")).bundlePage(page);
  const [script, style] = await Promise.all([readFile(built.script, "utf8"), readFile(built.style, "utf8")]);
  return { script, style };
}

/** The parts of a page. Style and script are our own texts, never a target's. */
export interface DocumentParts {
  readonly title: Html;
  readonly style: string;
  readonly script?: string;
  readonly body: Html;
}

/**
 * A self-contained page. Its policy allows this style and script by their hashes, and nothing else: text of a target
 * cannot run, and the page sends no request.
 */
export function renderDocument({ title, style, script, body }: DocumentParts): string {
  const policy = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashed(script)}`]),
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
${script === undefined ? undefined : html`<script>${raw(script)}</script>`}
</head>
<body>
${body}
</body>
</html>
`.text;
}

/** A part of a page: a heading, which the list of contents links to, and its body. */
export interface PagePart {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

/** A page of charts and tables beside the report: comparison or history. */
export interface PartsPage {
  /** Which script is loaded. */
  readonly name: PageName;
  readonly title: Html;
  /** Text of the link that skips the head. */
  readonly skip: string;
  readonly head: Html;
  readonly parts: readonly PagePart[];
  /** What the charts draw, as JSON for the script. */
  readonly data: unknown;
}

/** A self-contained page of a head, a list of contents and parts, in the look of the report. */
export async function renderPartsPage({ name, title, skip, head, parts, data }: PartsPage): Promise<string> {
  const { script, style } = await loadPageAssets(name);
  const body = html`<a class="skip" href="#main">${skip}</a>
<div class="page comparison">
${head}
<nav class="contents" aria-label="On this page"><ul>${parts.map(({ id, title }) => html`<li><a href="#${id}">${quoted(title, 80)}</a></li>`)}</ul></nav>
<main id="main">
<p class="note">Without JavaScript, the page shows everything except the charts.</p>
${parts.map((part) => section(part.id, part.title, part.body))}
</main>
</div>
<script type="application/json" id="page-data">${raw(embeddedJson(data))}</script>`;
  return renderDocument({ title, style, script, body });
}

function hashed(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
