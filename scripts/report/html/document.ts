import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { PageAssets, PageName } from "./bundle-page.ts";
import { type Html, html, raw } from "./markup.ts";

/** Where `npm run build` leaves them for the package. A checkout has no such folder. */
const builtFolder = new URL("../../../bundles/", import.meta.url);

/** A checkout bundles its sources; the package has the same text ready, and so needs no bundler. */
export async function loadPageAssets(page: PageName): Promise<PageAssets> {
  const built = { script: new URL(`${page}.js`, builtFolder), style: new URL("page.css", builtFolder) };
  if (!existsSync(built.script)) return (await import("./bundle-page.ts")).bundlePage(page);
  const [script, style] = await Promise.all([readFile(built.script, "utf8"), readFile(built.style, "utf8")]);
  return { script, style };
}

/** What a page is made of: title, style and script are our own texts, never a target's. */
export interface DocumentParts {
  readonly title: Html;
  readonly style: string;
  readonly script?: string;
  readonly body: Html;
}

/**
 * A self-contained page. Its policy lets in this very style and script, by their hash, and nothing else: whatever a
 * target slips into the body cannot run, and nothing leaves the page.
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

function hashed(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
