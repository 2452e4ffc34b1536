import type { Level } from "../verdict.ts";

/** The headings of the spec under which requirements stand, by the first part of a requirement's id. */
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

/** A normative sentence of the spec, in our own words. */
export interface Requirement {
  /** `<section>.<name>`, stable. */
  readonly id: `${SectionKey}.${string}`;
  readonly level: Level;
  readonly statement: string;
}

/** The section that an id belongs to. */
export function sectionOf(id: string): SectionKey {
  return id.split(".", 1)[0] as SectionKey;
}
