import type { Plug } from "../variant.ts";
import { errorFaults } from "./errors.ts";
import { lookupFaults } from "./lookup.ts";
import { productFieldFaults } from "./product-fields.ts";

/** Each breaks one sentence of the spec. */
export const faults: readonly Plug[] = [...productFieldFaults, ...lookupFaults, ...errorFaults];
