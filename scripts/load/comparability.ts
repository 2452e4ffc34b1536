import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { arch, availableParallelism, cpus, platform, totalmem } from "node:os";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { version } from "../version.ts";
import type { LoadPlan } from "./plan.ts";

export type Comparability = NonNullable<LoadResult["comparability"]>;

/** The conditions of a run that its latency depends on. */
export interface RunConditions {
  readonly plan: LoadPlan;
  /** Text of the bundled script. */
  readonly bundle: string;
  readonly fixtures: LoadFixtures;
  /** Version of k6. */
  readonly k6: string;
  /** The machine that generates the load, as `hostClass` describes it. */
  readonly host: string;
}

/**
 * The hash that two runs must share to be compared, and its parts, so that a message can name what differs. The address
 * of the target is not a part: the built-in service has a new port each time, and two releases may have different addresses.
 */
export function comparabilityOf(conditions: RunConditions): Comparability {
  const { plan, bundle, fixtures, k6, host } = conditions;
  const { scenario, profile, k6Args, seed, shards } = plan;
  const { description: _, ...traffic } = profile;
  const parts = {
    scenario,
    profile: fingerprint(JSON.stringify(traffic)),
    bundle: fingerprint(withoutComments(bundle)),
    fixtures: fingerprint(JSON.stringify(fixtures)),
    k6,
    k6Arguments: k6Args.length === 0 ? "none" : fingerprint(JSON.stringify(k6Args)),
    seed: String(seed),
    shards: String(shards),
    host,
    tool: version.split(".", 1)[0] ?? version,
  };
  return hashed(parts);
}

/** Comparability of parts that are known one by one. */
export function hashed(parts: Comparability["parts"]): Comparability {
  return { hash: fingerprint(JSON.stringify(parts)), parts };
}

/** Comparability of a run on this machine, with the script read from a file. */
export async function readComparability(
  bundlePath: string,
  conditions: Omit<RunConditions, "bundle" | "host">,
): Promise<Comparability> {
  const bundle = await readFile(bundlePath, "utf8");
  return comparabilityOf({ ...conditions, bundle, host: hostClass() });
}

/** A part that differs between two runs, with both values. */
export interface Difference {
  readonly part: string;
  readonly before: string;
  readonly after: string;
}

/** The parts in which two runs differ. */
export function differencesBetween(before: Comparability, after: Comparability): Difference[] {
  const names = new Set([...Object.keys(before.parts), ...Object.keys(after.parts)]);
  return [...names].flatMap((part) => {
    const [one = "unknown", other = "unknown"] = [before.parts[part], after.parts[part]];
    return one === other ? [] : [{ part, before: one, after: other }];
  });
}

/** The machine for comparisons: memory is rounded to a power of two, since kernels reserve varying amounts. */
export function hostClass(): string {
  return machine(`${2 ** Math.round(Math.log2(totalmem() / 2 ** 30))}`);
}

/** The machine for people, with the memory that it has. */
export function hostSeen(): string {
  return machine((totalmem() / 2 ** 30).toFixed(1).replace(/\.0$/, ""));
}

/** Processor, cores, memory and system of this machine. */
function machine(gibibytes: string): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${model}, ${availableParallelism()} cores, ${gibibytes} GiB, ${platform()} ${arch()}`;
}

// esbuild writes the path of each source, relative to the working directory, as a comment.
function withoutComments(bundle: string): string {
  return bundle.replaceAll(/^\s*\/\/ .*$/gm, "");
}

/** The first 12 hexadecimal digits of the SHA-256. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
