import { add } from "../core/added.ts";
import * as doors from "./capabilities.ts";
import type { Capability } from "./commands/command.ts";

export const capabilities: readonly Capability[] = Object.values(doors);
add(capabilities);
