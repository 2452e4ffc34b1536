import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** The page's own script and style, each in one piece, with the chart library inside. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** Where `npm run build` leaves them for the package. A checkout has no such folder. */
const builtFolder = new URL("../../../bundles/", import.meta.url);

/** A checkout bundles its sources; the package has the same text ready, and so needs no bundler. */
export async function loadPageAssets(): Promise<PageAssets> {
  const built = { script: new URL("page.js", builtFolder), style: new URL("page.css", builtFolder) };
  if (!existsSync(built.script)) return (await import("./bundle-page.ts")).bundlePage();
  const [script, style] = await Promise.all([readFile(built.script, "utf8"), readFile(built.style, "utf8")]);
  return { script, style };
}
