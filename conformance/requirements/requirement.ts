import type { Harm } from "../../schemas/contracts/finding.ts";
import type { RequirementResult } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";

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
  /** It binds clients: `shelfcheck client` judges it. */
  | { readonly kind: "client" };

/** A demand of the spec, without its id. */
export interface RequirementEntry {
  readonly level: Level;
  /** The words of the spec; of a table, the cell. */
  readonly quote: string;
  /** The demand in our own words. */
  readonly statement: string;
  readonly treatment: Treatment;
  /** What a failure harms, whatever the code of its finding says. */
  readonly harm?: Harm;
}

/** Requirements by their id, `<section>.<name>`, which is stable, in the order of the spec. */
export type RequirementEntries = Readonly<Record<`${SectionKey}.${string}`, RequirementEntry>>;

/** The section of a requirement or check, by its id. */
export function sectionOf(id: string): SectionKey {
  return id.split(".", 1)[0] as SectionKey;
}

/** A requirement on the service. Failures of one on access are about who may see what. */
export function must(quote: string, statement: string, harm?: Harm): RequirementEntry {
  return {
    level: "must",
    quote,
    statement,
    treatment: { kind: "judged" },
    ...given({ harm }),
  };
}

/** A requirement that the spec only suggests: violating it is a warning. */
export function should(quote: string, statement: string, harm?: Harm): RequirementEntry {
  return { ...must(quote, statement, harm), level: "should" };
}

export function excluded(quote: string, statement: string, why: string): RequirementEntry {
  return { level: "must", quote, statement, treatment: { kind: "excluded", why } };
}

export function gap(quote: string, statement: string, what: string): RequirementEntry {
  return { level: "may", quote, statement, treatment: { kind: "gap", what } };
}

/** A requirement on clients, which is judged by what a client sends. */
export function onClients(quote: string, statement: string, level: Level = "must"): RequirementEntry {
  return { level, quote, statement, treatment: { kind: "client" } };
}
