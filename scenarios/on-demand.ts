// The code that most virtual users of a healthy run never call: the bundle has it in one function, so that its functions and
// tables take memory only in the virtual users that load it.
export { createRedaction } from "../schemas/redaction.ts";
export { hooksOf } from "./lib/hooks.ts";
export { prepare } from "./lib/preparation.ts";
export { createResponseChecker } from "./lib/response-checker.ts";
export { createMisfitReporter } from "./lib/tenant-fit.ts";
export { profiles } from "./profiles.ts";
