import type { Plug } from "../variant.ts";

/** Choices that the spec allows, unlike those of the honest path. */
export const habits: readonly Plug[] = [];
