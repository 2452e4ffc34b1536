import type { Config } from "../../schemas/contracts/config.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { JudgeSettings, JudgeTarget } from "./options.ts";

export type { Config } from "../../schemas/contracts/config.ts";
export type { Profile } from "../../schemas/contracts/profile.ts";
export type { AnyResults, Results } from "../../schemas/contracts/results.ts";
export type { AnyFinding as Finding } from "./any-finding.ts";
export type { JudgeSettings, JudgeTarget } from "./options.ts";

/** Gives the default export of `shelfcheck.config.ts` its type. Returns its argument. */
export function defineConfig(config: Config): Config {
  return config;
}

/** Refers to an environment variable in the config: `headers: { "CF-Access-Client-Id": env("CF_ID") }`. */
export function env(name: string): { env: string } {
  return { env: name };
}

/**
 * Judges a service against the spec, as `shelfcheck conformance` does, and returns what `results.json` would have.
 *
 * ```ts
 * const { verdict, requirements } = await judge({ baseUrl, keys: { primary }, categories: ["shoes"] });
 * ```
 *
 * @throws An error with `what`, `where` and `fix` for wrong settings; then nothing was sent. A service that does not
 *   respond, or refuses the key, is no error: the results have the verdict `error` and a `problem`.
 */
export async function judge(target: JudgeTarget, options: JudgeSettings = {}): Promise<Results> {
  const { env, versions } = process;
  // Both imported late: a config file, which imports this module, needs none of it, and an old Node cannot load the second.
  const { requireNode } = await import("./node-version.ts");
  requireNode(versions.node);
  const { judgeWith } = await import("./judging.ts");
  return judgeWith(target, options, { env, cwd: process.cwd(), nodeVersion: versions.node });
}
