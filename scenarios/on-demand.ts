// Most virtual users of a healthy run never call this code: in one function of the bundle, its functions and
// tables take memory only where it is loaded.
export { createRedaction } from "../schemas/redaction.ts";
export { createResponseChecker } from "./lib/response-checker.ts";
export { createMisfitReporter } from "./lib/tenant-fit.ts";
