import { createHash } from "node:crypto";
import { type Html, html, raw } from "./markup.ts";

/** What a page is made of besides its body: our own texts, never a target's. */
export interface PageParts {
  readonly title: Html;
  readonly style: string;
  readonly script?: string;
}

/**
 * The head of a self-contained page. Its policy lets in this very style and script, by their hash, and nothing else:
 * whatever a target slips into the body cannot run, and nothing leaves the page.
 */
export function renderPageHead({ title, style, script }: PageParts): Html {
  const policy = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashed(script)}`]),
    `style-src ${hashed(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
${script === undefined ? undefined : html`<script>${raw(script)}</script>`}
</head>`;
}

function hashed(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
