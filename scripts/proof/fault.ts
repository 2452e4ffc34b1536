import type { Requirement } from "../../conformance/requirements/requirement.ts";
import type { Finding } from "../../schemas/types.ts";
import type { InsideName } from "../../service/inside.ts";
import type { WireChange } from "../../service/wire.ts";

export type CheckId = `${Requirement["id"]}/${string}`;

/** Other requirements that may fail, each with the reason why the fault cannot be seen without. */
export type MayFail = Readonly<Partial<Record<Requirement["id"], string>>>;

/** On the wire, where the service and the proxy can apply it; inside, where the service alone can. */
type Change = ({ readonly wire: WireChange } | { readonly inside: InsideName }) & {
  /** What must be found about it can be found only when the rate limit is exceeded. */
  readonly atLimit?: true;
};

/** A deliberate defect, and what the suite must find when a service has it. */
export type Fault = Change & {
  /** Checks that must fail, each of them; a warning counts where the requirement is no MUST. */
  readonly fails: readonly [CheckId, ...CheckId[]];
  readonly mayFail?: MayFail;
  /** What else may fail on a target that is not the built-in reference service. */
  readonly mayFailElsewhere?: MayFail;
};

/** Behaviour that is unusual and that the spec allows: the suite must find nothing. */
export type Variant = Change & {
  /** Heading of the spec and what stands there, from which the variant is allowed. */
  readonly allowedBy: readonly [section: string, quote: string];
  /** Checks that may stay not judged, since the variant leaves nothing to judge. */
  readonly mayStayUnjudged?: readonly CheckId[];
  /** What only one variant at a time can decide: two of the same subject make no service. */
  readonly subject?: "fields of a batch request";
  /** A whole run takes minutes, since it waits so often: only a full proof makes it, the others judge the limit alone. */
  readonly takesMinutes?: true;
  /** Reasons for which any check may stay not judged. */
  readonly mayHinder?: readonly Finding["code"][];
};

/** Faults by their names. */
export type FaultTable = Readonly<Record<string, Fault>>;

/** Variants by their names. */
export type VariantTable = Readonly<Record<string, Variant>>;

/** The requirement of a check, or the requirement itself. */
export function requirementOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}
