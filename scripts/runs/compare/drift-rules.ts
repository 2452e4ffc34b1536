import type { Drift } from "../../../schemas/contracts/drift.ts";

/** The rank of one kind of change. */
export interface DriftRule {
  readonly kind: Drift["kind"];
  readonly rank: Drift["rank"];
  readonly when: string;
  readonly why: string;
}

/**
 * Every rule of drift. A change is breaking if it makes a client fail that follows the spec and uses the names that the
 * service returned, notable if a person should look at it, and harmless if the spec always allows it or if two samples of
 * a changing catalog may differ by it.
 */
export const driftRules = {
  "dialect.renamed": {
    kind: "dialect",
    rank: "breaking",
    when: "a name that the spec leaves open (batch fields, the place of the GTIN) differs from the recorded one",
    why: "Every client sends or reads the old name. If the service takes both, set the old one in the config, under `dialect`: shelfcheck then uses it.",
  },
  "dialect.moved": {
    kind: "dialect",
    rank: "notable",
    when: "the GTIN was found in another place, and products still have the old one",
    why: "Clients that read the old place still find a value there.",
  },
  "dialect.lost": {
    kind: "dialect",
    rank: "notable",
    when: "a name that was found could not be found this time",
    why: "Nothing was seen under another name. What depends on it is reported as not judged.",
  },
  "dialect.found": {
    kind: "dialect",
    rank: "harmless",
    when: "a name was found that had not been found before",
    why: "No client can have used it.",
  },
  "retailer.vanished": {
    kind: "retailer",
    rank: "breaking",
    when: "the key may no longer use a retailer",
    why: "The spec allows it at any time, but a release should not do it unnoticed: this client loses the retailer's products.",
  },
  "retailer.appeared": {
    kind: "retailer",
    rank: "harmless",
    when: "the key may use a retailer that it could not use before",
    why: "Spec, Retailer: the set can change at any time.",
  },
  "retailer.not-sampled": {
    kind: "retailer",
    rank: "harmless",
    when: "no product of a retailer was seen this time",
    why: "Its fields could not be compared; there is no sign that they changed.",
  },
  "field.vanished": {
    kind: "field",
    rank: "breaking",
    when: "a field that (nearly) every product of a retailer had is now on none, which chance does not explain",
    why: "Clients show or store a field that was always there.",
  },
  "field.vanished-optional": {
    kind: "field",
    rank: "notable",
    when: "a field that some products of a retailer had is now on none, which chance does not explain",
    why: "Clients could already not rely on it for every product; now no product has it.",
  },
  "field.vanished-elsewhere": {
    kind: "field",
    rank: "notable",
    when: "as the two above, but some categories browsed then were not browsed now",
    why: "Fields depend on the category: one may have what another lacks.",
  },
  "field.rarer": {
    kind: "field",
    rank: "notable",
    when: "a field is on fewer than half as many products of a retailer, which chance does not explain",
    why: "Often the first step of a removal, or a broken import.",
  },
  "field.not-seen": {
    kind: "field",
    rank: "harmless",
    when: "a rare field was not seen this time, which chance explains",
    why: "The few products seen need not have it.",
  },
  "field.new": {
    kind: "field",
    rank: "notable",
    when: "a field appeared that no retailer's products had",
    why: "The spec allows only the fields of an allow-list: make sure that this one is on it.",
  },
  "field.appeared": {
    kind: "field",
    rank: "harmless",
    when: "a field known from other retailers is now on this retailer's products",
    why: "Completeness varies by retailer, and clients that know the field can read it.",
  },
  "status.unknown": {
    kind: "status",
    rank: "notable",
    when: "an endpoint returned a status for the first time, and the spec does not name it",
    why: "If it violates a requirement, that requirement fails; this rule shows that it is new.",
  },
  "status.server-error": {
    kind: "status",
    rank: "notable",
    when: "an endpoint returned 500, 502 or 504 for the first time",
    why: "May be a brief outage, or a faulty release.",
  },
  "status.no-success": {
    kind: "status",
    rank: "notable",
    when: "an endpoint that returned 200 did not do so this time, which chance does not explain",
    why: "What depends on such a response is reported as not judged.",
  },
  "status.appeared": {
    kind: "status",
    rank: "harmless",
    when: "an endpoint returned a status of the spec for the first time",
    why: "Depends on the products available for requests; the requirements judge whether it is correct.",
  },
  "status.gone": {
    kind: "status",
    rank: "harmless",
    when: "an endpoint no longer returned a status, which chance does not explain",
    why: "Depends on the products available for requests; the requirements judge whether it is correct.",
  },
  "limit.halved": {
    kind: "limit",
    rank: "breaking",
    when: "a probe (load --scenario rate-limit) finds half the limit or less, which measurement error does not explain",
    why: "Clients that stayed well below the limit are now refused.",
  },
  "limit.lowered": {
    kind: "limit",
    rank: "notable",
    when: "a probe finds a lower limit, but more than half; or a quarter as many requests of a burst are accepted, or fewer",
    why: "Clients must not assume a fixed rate. A burst shows only what was left of the limit at that moment, so it is a hint.",
  },
  "limit.raised": {
    kind: "limit",
    rank: "harmless",
    when: "a probe finds a higher limit, or four times as many requests of a burst are accepted",
    why: "No client is refused that was accepted before.",
  },
} as const satisfies Record<string, DriftRule>;

export type DriftRuleId = keyof typeof driftRules;
