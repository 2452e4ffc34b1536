// Generated from the schemas by scripts/load/bundle when a scenario is bundled.
declare module "virtual:validators" {
  import type { Validators } from "./lib/response-rules.ts";

  export const validators: Validators;
}

// Generated from profiles.ts by scripts/load/bundle.
declare module "virtual:profiles" {
  /** JSON of the named profiles. */
  export const profilesText: string;
}

/** Of the bundler: the module is part of the script, and evaluated at the first call. */
declare function require(name: "fflate"): typeof import("fflate");
declare function require(name: "virtual:on-demand"): typeof import("./lib/on-demand.ts");
