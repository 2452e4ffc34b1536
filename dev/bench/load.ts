import { resolveK6 } from "../../scripts/load/k6/resolve.ts";
import { type Bench, type PromiseResult, renderPromises } from "./bench.ts";
import { benchCpu } from "./cpu.ts";
import { benchLimits } from "./limits.ts";
import { type Workplace, writeFixtures } from "./measure.ts";
import { benchMemory, benchSoak } from "./memory.ts";
import { benchOpen } from "./open.ts";

interface BenchPart {
  readonly measure: (work: Workplace) => Promise<PromiseResult[]>;
  /** Parts with low rates for a long time do not need an idle machine: they run concurrently, after the others. */
  readonly parallel?: true;
}

const parts: Readonly<Record<string, BenchPart>> = {
  cpu: { measure: benchCpu },
  open: { measure: benchOpen },
  memory: { measure: benchMemory },
  limits: { measure: benchLimits, parallel: true },
  soak: { measure: benchSoak, parallel: true },
};

/** Measures what load costs, compared with pinned peers that it installs, and prints its promises. */
export const loadBench: Bench = {
  summary:
    "what the load part costs, beside its peers, for cpu, open and memory also another checkout; 30 minutes",
  parts: Object.keys(parts),
  takesBeside: true,
  async run({ stdout, env, folder, signal, beside }, words) {
    const selected = Object.entries(parts)
      .filter(([name]) => words.length === 0 || words.includes(name))
      .map(([, part]) => part);
    const print = (line: string) => stdout.write(`${line}\n`);
    const { path: k6Path, version } = await resolveK6({ env, progress: print, signal });
    await writeFixtures(folder);
    const work: Workplace = { k6Path, k6Version: `k6 ${version}`, folder, env, signal, print, beside };
    const shown: PromiseResult[] = [];
    for (const { measure, parallel } of selected) if (!parallel) shown.push(...(await measure(work)));
    const together = selected.filter(({ parallel }) => parallel);
    shown.push(...(await Promise.all(together.map(({ measure }) => measure(work)))).flat());
    print(`\n${renderPromises(shown)}`);
    return shown.every(({ holds }) => holds) ? 0 : 1;
  },
};
