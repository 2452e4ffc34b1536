import type { Plug } from "../changes/change.ts";
import { batchVariants } from "./batch.ts";
import { lookupVariants, routeVariants } from "./lookup.ts";
import { pagingVariants } from "./paging.ts";
import { productVariants } from "./products.ts";
import { transportVariants } from "./transport.ts";

/** Choices that the spec allows, unlike those of the honest path. */
export const variants: readonly Plug[] = [
  ...productVariants,
  ...batchVariants,
  ...lookupVariants,
  ...pagingVariants,
  ...routeVariants,
  ...transportVariants,
];
