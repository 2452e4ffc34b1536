import type { Drift } from "./contract-change.ts";

/**
 * Every rule of drift. A change is breaking if it makes a client fail that follows the spec and uses the names that the
 * service returned, notable if a person should look at it, and harmless if the spec always allows it or if two samples of
 * a changing catalog may differ by it.
 */
export const driftRules = {
  // Every client sends or reads the old name.
  "dialect.renamed": { kind: "dialect", rank: "breaking" },
  // The GTIN was found in another place, and products still have the old one: who reads that finds a value.
  "dialect.moved": { kind: "dialect", rank: "notable" },
  // Not found this time, and nothing was seen under another name. What depends on it is not judged.
  "dialect.lost": { kind: "dialect", rank: "notable" },
  // No client can have used it.
  "dialect.found": { kind: "dialect", rank: "harmless" },
  // The spec allows it at any time, but a release should not do it unnoticed: clients lose its products.
  "retailer.vanished": { kind: "retailer", rank: "breaking" },
  // Spec, Retailer: the set can change at any time.
  "retailer.appeared": { kind: "retailer", rank: "harmless" },
  // No product of it was seen, so there is no sign that its fields changed.
  "retailer.not-sampled": { kind: "retailer", rank: "harmless" },
  // (Nearly) every product of a retailer had it, and chance does not explain that none has it now.
  "field.vanished": { kind: "field", rank: "breaking" },
  // Only some products had it, so no client could rely on it.
  "field.vanished-optional": { kind: "field", rank: "notable" },
  // Some categories of then were not browsed now, and one may have what another lacks.
  "field.vanished-elsewhere": { kind: "field", rank: "notable" },
  // Fewer than half as many have it, which chance does not explain: a removal begins, or an import is broken.
  "field.rarer": { kind: "field", rank: "notable" },
  // It was rare, so chance explains it.
  "field.not-seen": { kind: "field", rank: "harmless" },
  // The spec allows only the fields of an allow-list: is this one on it?
  "field.new": { kind: "field", rank: "notable" },
  // Completeness varies by retailer, and clients that know the field can read it.
  "field.appeared": { kind: "field", rank: "harmless" },
  // The spec does not name it. If it violates a requirement, that fails.
  "status.unknown": { kind: "status", rank: "notable" },
  // 500, 502 or 504 for the first time: a brief outage, or a faulty release.
  "status.server-error": { kind: "status", rank: "notable" },
  // An endpoint no longer returned 200, which chance does not explain. What depends on it is not judged.
  "status.no-success": { kind: "status", rank: "notable" },
  // A status of the spec. Which are seen depends on the products; the requirements judge whether it is right.
  "status.appeared": { kind: "status", rank: "harmless" },
  // As above.
  "status.gone": { kind: "status", rank: "harmless" },
  // Half or less, measured by a probe: clients that stayed well below the limit are now refused.
  "limit.halved": { kind: "limit", rank: "breaking" },
  // Clients must not assume a fixed rate. A burst shows only what was left of the limit: a hint.
  "limit.lowered": { kind: "limit", rank: "notable" },
  // No client is refused that was accepted before.
  "limit.raised": { kind: "limit", rank: "harmless" },
} as const satisfies Record<string, Pick<Drift, "kind" | "rank">>;

export type DriftRuleId = keyof typeof driftRules;
