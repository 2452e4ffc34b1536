import type { Waiver } from "../../schemas/types.ts";

/** Why something that fails is let be, and what it says: for a report that has no place of its own for waivers. */
export function waivedMessage({ expires, owner, ticket, reason }: Waiver, says: string): string {
  return `waived until ${expires} by ${owner}, ${ticket}: ${reason} (it says: ${says})`;
}
