import { resolveK6 } from "../../scripts/load/k6/resolve.ts";
import { type Bench, type PromiseResult, renderPromises } from "./bench.ts";
import { benchCpu } from "./cpu.ts";
import { type Workplace, writeFixtures } from "./measure.ts";
import { benchMemory } from "./memory.ts";

const parts: Readonly<Record<string, (work: Workplace) => Promise<PromiseResult[]>>> = {
  cpu: benchCpu,
  memory: benchMemory,
};

/** Measures what load costs beside bare k6, and prints its promises. */
export const loadBench: Bench = {
  summary: "what the load part costs beside bare k6 and another checkout",
  parts: Object.keys(parts),
  takesBeside: true,
  async run({ stdout, env, folder, signal, beside }, words) {
    const print = (line: string) => stdout.write(`${line}\n`);
    const { path: k6Path, version } = await resolveK6({ env, progress: print, signal });
    await writeFixtures(folder);
    const work: Workplace = { k6Path, k6Version: `k6 ${version}`, folder, env, signal, print, beside };
    const shown: PromiseResult[] = [];
    for (const [name, measure] of Object.entries(parts))
      if (words.length === 0 || words.includes(name)) shown.push(...(await measure(work)));
    print(`\n${renderPromises(shown)}`);
    return shown.every(({ holds }) => holds) ? 0 : 1;
  },
};
