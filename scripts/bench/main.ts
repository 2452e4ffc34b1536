import { didYouMean } from "../config/did-you-mean.ts";
import type { Bench } from "./bench.ts";
import { compareBench } from "./compare.ts";
import { conformanceBench } from "./conformance.ts";
import { loadBench } from "./load/load.ts";
import { networksBench } from "./networks/networks.ts";
import { podsBench } from "./pods.ts";
import { reportBench } from "./report.ts";
import { serviceBench } from "./service/service.ts";
import { startupBench } from "./startup.ts";
import { surroundingsBench } from "./surroundings/surroundings.ts";

// `npm run bench -- NAME [PART…]`: prints tables of measurements on this machine. Not part of the tests.
const benches = {
  compare: compareBench,
  conformance: conformanceBench,
  load: loadBench,
  networks: networksBench,
  pods: podsBench,
  report: reportBench,
  service: serviceBench,
  startup: startupBench,
  surroundings: surroundingsBench,
} as const satisfies Record<string, Bench>;

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...words]: readonly string[]): Promise<number> {
  if (name === undefined || name === "--help") {
    process[name === undefined ? "stderr" : "stdout"].write(help());
    return name === undefined ? 2 : 0;
  }
  if (!isBench(name)) {
    process.stderr.write(`npm run bench -- NAME: ${didYouMean(name, Object.keys(benches))}\n`);
    return 2;
  }
  const bench: Bench = benches[name];
  const unknown = words.find((word) => bench.parts !== undefined && !bench.parts.includes(word));
  if (unknown !== undefined) {
    process.stderr.write(`npm run bench -- ${name} PART: ${didYouMean(unknown, bench.parts ?? [])}\n`);
    return 2;
  }
  const interruption = new AbortController();
  process.once("SIGINT", () => interruption.abort());
  return bench.run({ stdout: process.stdout, env: process.env, signal: interruption.signal }, words);
}

function isBench(name: string): name is keyof typeof benches {
  return Object.hasOwn(benches, name);
}

function help(): string {
  const lines = Object.entries<Bench>(benches).map(([name, { summary, parts, words }]) => {
    const usage = words ?? (parts === undefined ? "" : "[PART…]");
    const some = parts === undefined ? "" : ` (${parts.join(", ")})`;
    return `  ${`${name} ${usage}`.padEnd(24)}${summary}${some}\n`;
  });
  return `npm run bench -- NAME\n\n${lines.join("")}`;
}
