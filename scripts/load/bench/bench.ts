import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CannotRunError } from "../../errors.ts";
import { resolveK6 } from "../k6/resolve.ts";
import { benchCpu } from "./cpu.ts";
import { benchLimits } from "./limits.ts";
import { canMeasure } from "./measured-process.ts";
import { benchMemory } from "./memory.ts";
import { type MustShow, renderMustShow } from "./must-show.ts";
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
  percentiles: benchPercentiles,
  limits: benchLimits,
  soak: (work: Workplace) => benchSoak(work, soakSeconds),
} satisfies Record<string, (work: Workplace) => Promise<MustShow[]>>;

export type BenchPart = keyof typeof parts;

/** Parts that need no quiet machine: low rates for a long time. They run side by side, after the others. */
const besideEachOther: readonly BenchPart[] = ["limits", "soak"];

/**
 * `npm run bench -- load`: what the load part costs, beside peers that are pinned and installed here, and a table of
 * its promises. Takes about 18 minutes. Returns 0 when all of them hold, else 1.
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
    const work: Workplace = { k6Path, folder, signal, print };
    const shown: MustShow[] = [];
    for (const part of only) if (!besideEachOther.includes(part)) shown.push(...(await parts[part](work)));
    const patient = only.filter((part) => besideEachOther.includes(part));
    shown.push(...(await Promise.all(patient.map((part) => parts[part](work)))).flat());
    print(`\n${renderMustShow(shown)}`);
    return shown.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
