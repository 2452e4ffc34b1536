import type { Plug } from "../variants/variant.ts";
import { batchHabits } from "./batch.ts";
import { lookupHabits, routeHabits } from "./lookup.ts";
import { pagingHabits } from "./paging.ts";
import { productHabits } from "./products.ts";
import { transportHabits } from "./transport.ts";

/** Choices that the spec allows, unlike those of the honest path. */
export const habits: readonly Plug[] = [
  ...productHabits,
  ...batchHabits,
  ...lookupHabits,
  ...pagingHabits,
  ...routeHabits,
  ...transportHabits,
];
