import type { Config } from "../schemas/types.ts";

/** What `import … from "shelfcheck"` gives: the type of the config file, and of the results. */
export type { Config, Profile, Results } from "../schemas/types.ts";

/** Types the default export of `shelfcheck.config.ts`; returns its argument as it is. */
export function defineConfig(config: Config): Config {
  return config;
}

/** In the config, the value of an environment variable: `headers: { "CF-Access-Client-Id": env("CF_ID") }`. */
export function env(name: string): { env: string } {
  return { env: name };
}
