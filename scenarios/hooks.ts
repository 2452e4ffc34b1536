// No virtual user calls this code, not even one that loads the rest on demand.
export { hooksOf, prepare } from "./lib/hooks.ts";
export { profiles } from "./profiles.ts";
