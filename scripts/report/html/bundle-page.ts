import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { PageAssets, PageName } from "./document.ts";

/** Bundles a page's script, and the style of all pages, with esbuild, which only a checkout has. */
export async function bundlePage(page: PageName): Promise<PageAssets> {
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
