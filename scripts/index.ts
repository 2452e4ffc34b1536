/** What `import … from "shelfcheck"` gives: the type of the config file, and of the results. */
export type { Config, Profile, Results } from "../schemas/types.ts";
export { defineConfig } from "./config/define.ts";
