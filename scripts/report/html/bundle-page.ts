import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The pages: report, history and comparison. `client/<name>.ts` is the script of each. */
export type PageName = "page" | "history" | "comparison";

/** Script and style of a page as one text each, including the chart library. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const bundled = new Map<PageName, Promise<PageAssets>>();

/** Bundles the script of a page and the style of all pages with esbuild, which only a checkout has. Cached. */
export function bundlePage(page: PageName): Promise<PageAssets> {
  let assets = bundled.get(page);
  if (assets === undefined) {
    assets = bundle(page);
    bundled.set(page, assets);
    // A failed attempt is not cached.
    assets.catch(() => bundled.delete(page));
  }
  return assets;
}

async function bundle(page: PageName): Promise<PageAssets> {
  const { outputFiles } = await build({
    entryPoints: {
      script: fileURLToPath(new URL(`./client/${page}.ts`, import.meta.url)),
      style: fileURLToPath(new URL("./client/page.css", import.meta.url)),
    },
    outdir: "assets",
    write: false,
    bundle: true,
    minify: true,
    // Only ASCII, so that no library can bring invisible characters into the page.
    charset: "ascii",
    format: "iife",
    platform: "browser",
    mainFields: ["module", "main"],
    target: "es2022",
    legalComments: "none",
    logLevel: "silent",
  });
  const text = (name: string): string => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? "";
  return { script: text("script.js"), style: text("style.css") };
}
