import { endpointRequirements } from "./endpoints.ts";
import type { RequirementEntry } from "./requirement.ts";
import { resourceRequirements } from "./resources.ts";
import { generalRequirements } from "./rules-for-all.ts";
import { serviceRequirements } from "./service.ts";

const entries = {
  ...serviceRequirements,
  ...resourceRequirements,
  ...endpointRequirements,
  ...generalRequirements,
};

export type RequirementId = keyof typeof entries;

/** The id of a check or rule: that of its requirement, and a name of its own. */
export type CheckId = `${RequirementId}/${string}`;

export interface Requirement extends RequirementEntry {
  readonly id: RequirementId;
}

/** Every requirement, in the order of the spec. */
export const requirements: readonly Requirement[] = Object.entries(entries).map(([id, entry]) => ({
  id: id as RequirementId,
  ...entry,
}));

const byId: ReadonlyMap<string, Requirement> = new Map(requirements.map((entry) => [entry.id, entry]));

/** The requirement with this id. @throws Error when there is none. */
export function requirement(id: string): Requirement {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`no requirement has the id ${id}: add it to requirements/`);
  return found;
}

export function requirementOf(id: CheckId): RequirementId {
  return id.slice(0, id.indexOf("/")) as RequirementId;
}
