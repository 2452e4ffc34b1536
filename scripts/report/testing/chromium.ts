import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** Path of Chromium, from CHROMIUM_BIN or PATH; undefined if there is none. */
export async function findChromium(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.CHROMIUM_BIN) return env.CHROMIUM_BIN;
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

/** Starts Chromium with a temporary profile and without background requests. */
export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
