import type { CheckId, RequirementId } from "../../conformance/requirements/all.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { ServiceOptions } from "../../service/start.ts";
import type { WireChange } from "../../service/wire.ts";

/** Requests per second and at once. */
type RateLimit = Required<Pick<ServiceOptions, "rate" | "burst">>;

/** `wire` changes requests and responses. `limit` is the rate limit of the service. */
type ServiceChange = ({ readonly wire: WireChange } | { readonly limit: RateLimit }) & {
  /** What a client sees, in a sentence. */
  readonly does: string;
  /** Its checks need responses that the service gives only when the rate limit is exceeded, or the many of that burst. */
  readonly atLimit?: true;
};

/** A deliberate defect, and the checks that must find it. What else fails is in the snapshot. */
export type Fault = ServiceChange & {
  /** Checks that must all fail. If the requirement is not a MUST, a warning is enough. */
  readonly fails: readonly [CheckId, ...CheckId[]];
  /** A public report of such a defect: repository and number of the issue. */
  readonly source?: `${string}/${string}#${number}`;
};

/** Unusual behaviour that the spec allows: no check may fail. */
export type Variant = ServiceChange & {
  /** Section and sentence of the spec that allow the variant. */
  readonly allowedBy: readonly [section: string, quote: string];
  /** Checks that may be not judged, because the variant removes what they need. */
  readonly mayStayNotJudged?: readonly CheckId[];
  /** It changes when responses come, and nothing in them. */
  readonly onlyDelays?: true;
  /** Codes of findings that excuse any check from being judged. */
  readonly mayHinder?: readonly Finding["code"][];
};

export type FaultTable = Readonly<Record<string, Fault>>;

export type VariantTable = Readonly<Record<string, Variant>>;

/** The requirement of a check, or the requirement itself. */
export function requirementOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}

/** The checks of a requirement at every endpoint, and some more. */
export function eachWay(requirement: RequirementId, more: readonly string[] = []): [CheckId, ...CheckId[]] {
  const others = ["by-id", "by-url", "by-gtin", "by-category", "batch", ...more];
  return [`${requirement}/retailers`, ...others.map((name): CheckId => `${requirement}/${name}`)];
}
