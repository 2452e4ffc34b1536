import type { RequirementResult } from "../../schemas/types.ts";

/** How strongly the spec demands it. */
export type Level = RequirementResult["level"];

/** The headings of the spec, by the first part of a requirement's id. */
export const sections = {
  service: "What the service does",
  product: "Resources and their fields: Product",
  retailer: "Resources and their fields: Retailer",
  page: "Resources and their fields: Product list page (category browsing)",
  "batch-result": "Resources and their fields: Batch result",
  "error-body": "Resources and their fields: Error body",
  retailers: "Endpoints: GET /v1/retailers",
  "by-id": "Endpoints: GET /v1/products/{retailer}/{product_id}",
  query: "Endpoints: GET /v1/products (query-driven)",
  batch: "Endpoints: POST /v1/products/batch-lookup",
  authentication: "Authentication",
  errors: "Errors",
  limits: "Limits",
  versioning: "Versioning",
} as const satisfies Record<string, string>;

export type SectionKey = keyof typeof sections;

/** How this project covers a requirement. */
export type Treatment =
  /** Checks or rules judge it. */
  | { readonly kind: "judged" }
  /** It cannot be judged from outside. */
  | { readonly kind: "excluded"; readonly why: string }
  /** The spec says "not shown", so there is nothing to judge. */
  | { readonly kind: "gap"; readonly what: string }
  /** It binds clients: ours meets it, as this test proves. */
  | { readonly kind: "ours"; readonly provenBy: string };

/** A demand of the spec, in our own words. */
export interface Requirement {
  /** `<section>.<name>`, stable. */
  readonly id: `${SectionKey}.${string}`;
  readonly level: Level;
  readonly actor: "service" | "client";
  readonly statement: string;
  readonly treatment: Treatment;
}

/** The section of a requirement or check, by its id. */
export function sectionOf(id: string): SectionKey {
  return id.split(".", 1)[0] as SectionKey;
}

/** A requirement on the service that the suite judges. */
export function must(id: Requirement["id"], statement: string): Requirement {
  return { id, level: "must", actor: "service", statement, treatment: { kind: "judged" } };
}

/** A requirement that the spec only suggests: violating it is a warning. */
export function should(id: Requirement["id"], statement: string): Requirement {
  return { id, level: "should", actor: "service", statement, treatment: { kind: "judged" } };
}

/** A requirement that cannot be judged from outside. */
export function excluded(id: Requirement["id"], statement: string, why: string): Requirement {
  return { id, level: "must", actor: "service", statement, treatment: { kind: "excluded", why } };
}

/** Something that the spec leaves open. */
export function gap(id: Requirement["id"], statement: string, what: string): Requirement {
  return { id, level: "may", actor: "service", statement, treatment: { kind: "gap", what } };
}

/** A requirement on clients that our own client meets, as a test proves. */
export function ours(id: Requirement["id"], statement: string, provenBy: string): Requirement {
  return { id, level: "must", actor: "client", statement, treatment: { kind: "ours", provenBy } };
}

/** A requirement on clients that does not concern a test harness. */
export function clientOnly(id: Requirement["id"], statement: string, why: string): Requirement {
  return { id, level: "must", actor: "client", statement, treatment: { kind: "excluded", why } };
}
