import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { didYouMean } from "../../scripts/config/did-you-mean.ts";
import type { Bench } from "./bench.ts";
import { conformanceBench } from "./conformance.ts";
import { loadBench } from "./load.ts";
import { startupBench } from "./startup.ts";

// `npm run bench -- NAME [PART…] [--beside CHECKOUT]`: tables of measurements on this machine. No tests.
const benches: Readonly<Record<string, Bench>> = {
  conformance: conformanceBench,
  load: loadBench,
  startup: startupBench,
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const read = parsed(args);
  if (typeof read === "string") return refused("NAME", read);
  const {
    values: { beside, help: isHelp = false },
    positionals: [name, ...words],
  } = read;
  if (name === undefined || isHelp) {
    process[isHelp ? "stdout" : "stderr"].write(help());
    return isHelp ? 0 : 2;
  }
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (bench === undefined) return refused("NAME", didYouMean(name, Object.keys(benches)));
  const unknown = words.find((word) => !bench.parts?.includes(word));
  if (unknown !== undefined) {
    const { parts } = bench;
    return parts === undefined
      ? refused(`${name} ${unknown}`, "This benchmark has no parts.")
      : refused(`${name} PART`, didYouMean(unknown, parts));
  }
  if (beside !== undefined) {
    const why =
      bench.takesBeside === undefined
        ? "This benchmark measures only this checkout."
        : whyNotMeasurable(beside);
    if (why !== undefined) return refused(`${name} --beside ${beside}`, why);
  }
  const interruption = new AbortController();
  process.once("SIGINT", () => interruption.abort());
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-bench-"));
  const io = { stdout: process.stdout, env: process.env, signal: interruption.signal, folder };
  try {
    return await bench.run(beside === undefined ? io : { ...io, beside: resolve(beside) }, words);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The arguments, or why they cannot be read. */
function parsed(args: string[]) {
  const options = { beside: { type: "string" }, help: { type: "boolean" } } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    return (error as Error).message;
  }
}

/** Why a folder cannot be measured; undefined if it can. */
function whyNotMeasurable(checkout: string): string | undefined {
  const has = (path: string) => existsSync(join(checkout, path));
  if (!has("scripts/cli/shelfcheck.cjs")) return "The folder is not a checkout of shelfcheck.";
  return has("node_modules") ? undefined : "Its packages are not installed: run npm ci there.";
}

function refused(where: string, why: string): number {
  process.stderr.write(`npm run bench -- ${where}: ${why}\n`);
  return 2;
}

function help(): string {
  const rows = Object.entries(benches).map(([name, { summary, parts, takesBeside }]) => {
    const usage = [name, parts && "[PART…]", takesBeside && "[--beside CHECKOUT]"];
    const some = parts === undefined ? "" : ` (${parts.join(", ")})`;
    return [usage.filter(Boolean).join(" "), `${summary}${some}`] as const;
  });
  const width = Math.max(...rows.map(([usage]) => usage.length));
  const lines = rows.map(([usage, text]) => `  ${usage.padEnd(width)}  ${text}\n`);
  return `npm run bench -- NAME\n\n${lines.join("")}`;
}
