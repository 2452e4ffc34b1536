import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findChromium, startChromium } from "../../test/support/chromium.ts";
import { environmentOf, runCommand, serveHere } from "../../test/support/command.ts";

// `npm run picture`: makes the picture of the README from a real run on a service with two faults.

const picture = fileURLToPath(new URL("../../docs/report.png", import.meta.url));
const serve = ["--seed", "7", "--fault", "gtin-other-retailer,batch-total-is-found"];
const viewport = { width: 1280, height: 1400 };
const mostBytes = 200_000;

const executable = findChromium(process.env);
if (executable === undefined) {
  throw new Error("No Chromium found for the picture: install one, or set CHROMIUM_BIN to its path.");
}
const folder = await mkdtemp(join(tmpdir(), "shelfcheck-picture-"));
try {
  await using service = await serveHere(serve, folder);
  const { exitCode, stderr } = await runCommand(["gate"], { cwd: folder, env: environmentOf(service.ready) });
  if (exitCode !== 1) throw new Error(`gate ended with ${exitCode} and not 1: ${stderr}`);
  const browser = await startChromium(executable);
  const page = await browser.newPage({ viewport, deviceScaleFactor: 0.75, colorScheme: "light" });
  await page.goto(pathToFileURL(join(folder, "reports/latest/report.html")).href);
  await mkdir(dirname(picture), { recursive: true });
  const { length } = await page.screenshot({ path: picture });
  await browser.close();
  if (length > mostBytes)
    throw new Error(
      `${picture} has ${length} bytes, more than ${mostBytes}: use a smaller part of the page.`,
    );
} finally {
  await rm(folder, { recursive: true });
}
