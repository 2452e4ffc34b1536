import type { Plug } from "../changes/change.ts";
import { authenticationFaults } from "./authentication.ts";
import { batchFaults } from "./batch.ts";
import { errorFaults } from "./errors.ts";
import { identifierFaults } from "./identifier.ts";
import { jsonFaults } from "./json.ts";
import { limitFaults } from "./limits.ts";
import { lookupFaults } from "./lookup.ts";
import { pagingFaults } from "./paging.ts";
import { productFieldFaults } from "./product-fields.ts";
import { productTypeFaults } from "./product-types.ts";
import { retailerFaults } from "./retailers.ts";

/** Each breaks one sentence of the spec, and nothing else. */
export const faults: readonly Plug[] = [
  ...productFieldFaults,
  ...jsonFaults,
  ...productTypeFaults,
  ...retailerFaults,
  ...identifierFaults,
  ...lookupFaults,
  ...pagingFaults,
  ...batchFaults,
  ...authenticationFaults,
  ...errorFaults,
  ...limitFaults,
];
