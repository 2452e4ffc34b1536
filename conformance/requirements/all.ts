import { endpointRequirements } from "./endpoints.ts";
import type { Requirement } from "./requirement.ts";
import { resourceRequirements } from "./resources.ts";
import { generalRequirements } from "./rules-for-all.ts";
import { serviceRequirements } from "./service.ts";

/** Every requirement of the spec, in the order of its headings. */
export const requirements: readonly Requirement[] = [
  ...serviceRequirements,
  ...resourceRequirements,
  ...endpointRequirements,
  ...generalRequirements,
];

const byId: ReadonlyMap<string, Requirement> = new Map(requirements.map((entry) => [entry.id, entry]));

/** The requirement with this id. @throws Error when there is none. */
export function requirement(id: string): Requirement {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`no requirement has the id ${id}: add it to requirements/`);
  return found;
}
