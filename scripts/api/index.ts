import type { Config } from "../../schemas/contracts/config.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { coreWords, WordsTable } from "../../schemas/words/index.ts";
import type * as doors from "../cli/capabilities.ts";
import type { JudgeSettings, JudgeTarget } from "./options.ts";

export type { Config } from "../../schemas/contracts/config.ts";
export type { Profile } from "../../schemas/contracts/profile.ts";
export type { AnyResults, Results } from "../../schemas/contracts/results.ts";
export type { JudgeSettings, JudgeTarget } from "./options.ts";

/** Of the core or of a capability. By this type, the declarations of the package have all contracts. */
type AnyFinding = FindingOf<keyof typeof coreWords | CodesOf<(typeof doors)[keyof typeof doors]>>;
type CodesOf<C> = C extends { readonly words: WordsTable<infer Code> } ? Code : never;

export type { AnyFinding as Finding };

/** Gives the default export of `shelfcheck.config.ts` its type. Returns its argument. */
export function defineConfig(config: Config): Config {
  return config;
}

/** Refers to an environment variable in the config: `headers: { "CF-Access-Client-Id": env("CF_ID") }`. */
export function env(name: string): { env: string } {
  return { env: name };
}

/** An older one cannot load the rest of the package. */
const leastNode = 24;

/**
 * Judges a service against the spec, as `shelfcheck conformance` does, and returns what `results.json` would have.
 *
 * ```ts
 * const { verdict, requirements } = await judge({ baseUrl, keys: { primary }, categories: ["shoes"] });
 * ```
 *
 * @throws An error with `what`, `where` and `fix` for wrong settings; then nothing was sent. For a service that does
 *   not respond, or refuses the key, the results have the verdict `error` and a `problem`.
 */
export async function judge(target: JudgeTarget, options: JudgeSettings = {}): Promise<Results> {
  const { env, versions } = process;
  if (Number.parseInt(versions.node, 10) < leastNode) {
    const { UsageError } = await import("../errors.ts");
    throw new UsageError({
      what: `shelfcheck needs Node ${leastNode} or newer`,
      where: `Node ${versions.node}`,
      fix: `Install it for this project, npm install -D node@${leastNode}, and start the program with: npx node FILE`,
    });
  }
  // Imported late: a config file, which imports this module, needs none of it.
  const { judgeWith } = await import("./judging.ts");
  return judgeWith(target, options, { env, cwd: process.cwd(), nodeVersion: versions.node });
}
