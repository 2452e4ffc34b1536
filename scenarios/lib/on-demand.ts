// The code that most virtual users of a healthy run never call: the bundle has it as one CommonJS module, so that its functions
// and tables take memory only in the virtual users that load it.
export { createRedaction } from "../../schemas/redaction.ts";
export { catalogueFrom } from "./catalogue.ts";
export { hooksOf } from "./hooks.ts";
export { createSettlement } from "./settlement.ts";
