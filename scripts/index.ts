import type { Config } from "../schemas/types.ts";

/** Types of the config file and of `results.json`. */
export type { Config, Profile, Results } from "../schemas/types.ts";

/** Gives the default export of `shelfcheck.config.ts` its type. Returns its argument. */
export function defineConfig(config: Config): Config {
  return config;
}

/** Refers to an environment variable in the config: `headers: { "CF-Access-Client-Id": env("CF_ID") }`. */
export function env(name: string): { env: string } {
  return { env: name };
}
