import type { Config } from "../schemas/contracts/config.ts";

export type { Config } from "../schemas/contracts/config.ts";
export type { Profile } from "../schemas/contracts/profile.ts";
export type { Results } from "../schemas/contracts/results.ts";

/** Gives the default export of `shelfcheck.config.ts` its type. Returns its argument. */
export function defineConfig(config: Config): Config {
  return config;
}

/** Refers to an environment variable in the config: `headers: { "CF-Access-Client-Id": env("CF_ID") }`. */
export function env(name: string): { env: string } {
  return { env: name };
}
