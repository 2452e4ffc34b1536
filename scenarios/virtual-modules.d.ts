// Each is bundled from the file of its name by scripts/load/bundle. `load` evaluates it at the first call.
declare module "virtual:on-demand" {
  export function load(): typeof import("./on-demand.ts");
}
declare module "virtual:hooks" {
  export function load(): typeof import("./hooks.ts");
}

/** Written by the bundler: the module is part of the script, and evaluated at the first call. */
declare function require(name: "fflate"): typeof import("fflate");
