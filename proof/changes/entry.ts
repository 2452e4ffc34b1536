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
  /** The whole suite, over a network: it needs refusals, the many requests of the burst, or connections. */
  readonly whole?: true;
};

/** Checks that must all fail. If the requirement is not a MUST, a warning is enough. */
type Finders = readonly [CheckId, ...CheckId[]];

/** A public report of a defect: repository and number of the issue. */
type Source = `${string}/${string}#${number}`;

/** A deliberate defect, and the checks that must find it. What else fails is in the snapshot. */
export type Fault = ServiceChange & { readonly fails: Finders; readonly source?: Source | undefined };

interface VariantOptions {
  /** It changes when responses come, and nothing in them. */
  readonly onlyDelays?: true;
  /** Codes of findings that excuse any check from being judged. */
  readonly mayHinder?: readonly Finding["code"][];
  readonly whole?: true;
}

/** Section and sentence of the spec that allow a variant. */
type Permission = readonly [section: string, quote: string];

/** Unusual behaviour that the spec allows: no check may fail. */
export type Variant = ServiceChange & VariantOptions & { readonly allowedBy: Permission };

export type FaultTable = Readonly<Record<string, Fault>>;

export type VariantTable = Readonly<Record<string, Variant>>;

/** For the same checks: what a client sees, the change, and the public report of such a defect. */
export const foundBy = (
  fails: CheckId | Finders,
  rows: Readonly<Record<string, readonly [does: string, wire: WireChange, source?: Source]>>,
): FaultTable =>
  Object.fromEntries(
    Object.entries(rows).map(([name, [does, wire, source]]) => [
      name,
      { does, wire, fails: typeof fails === "string" ? [fails] : fails, source },
    ]),
  );

/** Variants that the same sentence allows: what a client sees, and the change. */
export const allowedBy = (
  permission: Permission,
  rows: Readonly<Record<string, readonly [does: string, wire: WireChange, options?: VariantOptions]>>,
): VariantTable =>
  Object.fromEntries(
    Object.entries(rows).map(([name, [does, wire, options]]) => [
      name,
      { does, wire, allowedBy: permission, ...options },
    ]),
  );

/** The requirement of a check, or the requirement itself. */
export function requirementOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}

/** The checks of a requirement at every endpoint, and some more. */
export function eachWay(requirement: RequirementId, ...more: readonly string[]): Finders {
  const others = ["by-id", "by-url", "by-gtin", "by-category", "batch", ...more];
  return [`${requirement}/retailers`, ...others.map((name): CheckId => `${requirement}/${name}`)];
}
