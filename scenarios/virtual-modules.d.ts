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

// Bundled from lib/on-demand.ts by scripts/load/bundle.
declare module "virtual:on-demand" {
  /** Evaluates the module at the first call. */
  export function onDemand(): typeof import("./lib/on-demand.ts");
}

/** Written by the bundler: the module is part of the script, and evaluated at the first call. */
declare function require(name: "fflate"): typeof import("fflate");
