// Bundled from on-demand.ts by scripts/load/bundle.
declare module "virtual:on-demand" {
  /** Evaluates the module at the first call. */
  export function onDemand(): typeof import("./on-demand.ts");
}

/** Written by the bundler: the module is part of the script, and evaluated at the first call. */
declare function require(name: "fflate"): typeof import("fflate");
