import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CannotRunError } from "../../errors.ts";
import { resolveK6 } from "../../k6/resolve.ts";
import { benchCpu } from "./cpu.ts";
import { benchLimits } from "./limits.ts";
import { canMeasure } from "./measured-process.ts";
import { benchMemory } from "./memory.ts";
import { benchPercentiles } from "./percentiles.ts";
import { benchSoak } from "./soak.ts";
import { type Workplace, writeFixtures } from "./workplace.ts";

interface BenchIo {
  readonly stdout: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

const soakSeconds = 600;

const parts = {
  cpu: benchCpu,
  memory: benchMemory,
  limits: benchLimits,
  percentiles: benchPercentiles,
  soak: (work: Workplace) => benchSoak(work, soakSeconds),
} satisfies Record<string, (work: Workplace) => Promise<void>>;

export type BenchPart = keyof typeof parts;

/**
 * `npm run bench -- load`: what the load part costs, beside peers that are pinned and installed here. Takes
 * about half an hour with the soak. Returns 0.
 *
 * @throws CannotRunError on a system without /proc.
 */
export async function benchLoad(
  { stdout, signal }: BenchIo,
  only: readonly BenchPart[] = Object.keys(parts) as BenchPart[],
): Promise<number> {
  if (!(await canMeasure())) {
    throw new CannotRunError({
      what: "The bench reads /proc",
      where: process.platform,
      mend: "Run it on Linux.",
    });
  }
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-bench-"));
  const print = (line: string) => stdout.write(`${line}\n`);
  try {
    const k6Path = (await resolveK6({ env: process.env, progress: print, signal })).path;
    await writeFixtures(folder);
    for (const part of only) await parts[part]({ k6Path, folder, signal, print });
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
