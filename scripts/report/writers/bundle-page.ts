import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Script and style of the pages as one text each. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

let bundled: Promise<PageAssets> | undefined;

/** Bundles `page/` with esbuild, which only a checkout has. Cached. */
export function bundlePage(): Promise<PageAssets> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<PageAssets> {
  const { outputFiles } = await build({
    entryPoints: {
      script: fileURLToPath(new URL("../page/page.ts", import.meta.url)),
      style: fileURLToPath(new URL("../page/page.css", import.meta.url)),
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
