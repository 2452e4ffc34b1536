import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { PageAssets } from "./bundle-page.ts";
import { type Html, html, raw } from "./markup.ts";

/** `npm run build` writes the bundles here for the package. A checkout has no such folder. */
const builtFolder = new URL("../../../bundles/", import.meta.url);

/** A checkout bundles its sources; the package contains the bundles and needs no bundler. */
export async function loadPageAssets(): Promise<PageAssets> {
  const built = { script: new URL("page.js", builtFolder), style: new URL("page.css", builtFolder) };
  if (!existsSync(built.script)) return (await import("./bundle-page.ts")).bundlePage();
  const [script, style] = await Promise.all([readFile(built.script, "utf8"), readFile(built.style, "utf8")]);
  return { script, style };
}

/** The policy allows this style and script by hash, and no request: text of a target cannot run. */
export function renderPage(title: string, body: Html, { style, script }: PageAssets): string {
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
