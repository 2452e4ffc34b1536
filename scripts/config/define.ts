import type { Config } from "../../schemas/types.ts";

/** Types the default export of `shelfcheck.config.ts`; returns its argument as it is. */
export function defineConfig(config: Config): Config {
  return config;
}
