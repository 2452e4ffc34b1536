import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The report of a run, the history of many, and a comparison; `client/<name>.ts` is what each does in the browser. */
export type PageName = "page" | "history" | "comparison";

/** A page's own script and style, each in one piece, with the chart library inside. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const bundled = new Map<PageName, Promise<PageAssets>>();

/** Bundles a page's script, and the style of all pages, with esbuild, which only a checkout has; once in a process. */
export function bundlePage(page: PageName): Promise<PageAssets> {
  let assets = bundled.get(page);
  if (assets === undefined) {
    assets = bundle(page);
    bundled.set(page, assets);
    // A failed attempt is not kept.
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
    // Nothing but ASCII, so that no character of a library can end up unseen in the page.
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
