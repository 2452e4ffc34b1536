// The code that most virtual users of a healthy run never call: the bundle has it in one function, so that its functions and
// tables take memory only in the virtual users that load it.
export { createRedaction } from "../../schemas/redaction.ts";
export { hooksOf } from "./hooks.ts";
export { createMisfitReporter } from "./misfits.ts";
export { prepare } from "./preparation.ts";
export { createResponseChecker } from "./response-checker.ts";
