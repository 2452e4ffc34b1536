import { createHash } from "node:crypto";
import { arch, availableParallelism, cpus, platform } from "node:os";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { LoadPlan } from "./plan.ts";

/** What the figures of a load run depend on, besides the service. @param k6 Its version. */
export function conditionsOf(
  { profile, k6Args, seed }: Pick<LoadPlan, "profile" | "k6Args" | "seed">,
  k6: string,
): NonNullable<LoadResult["conditions"]> {
  return {
    profile: profileFingerprint(profile),
    k6,
    k6Arguments: k6Args.length === 0 ? "none" : fingerprint(JSON.stringify(k6Args)),
    seed: String(seed),
    host: machine(),
  };
}

/** What a profile sends, without its description. */
export function profileFingerprint({ description: _, ...traffic }: LoadPlan["profile"]): string {
  return fingerprint(JSON.stringify(traffic));
}

/** Processor, cores, system. Without memory: kernels reserve varying parts of it. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${model}, ${availableParallelism()} cores, ${platform()} ${arch()}`;
}

/** The first 12 hexadecimal digits of the SHA-256: arguments may hold secrets. */
function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
