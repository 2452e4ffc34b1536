import type { Drift } from "../../schemas/types.ts";

/** How one kind of change ranks, and why. */
export interface DriftRule {
  readonly kind: Exclude<Drift["kind"], "recorded">;
  readonly rank: Drift["rank"];
  /** When the rule applies. */
  readonly when: string;
  /** Why it ranks as it does. */
  readonly why: string;
}

/**
 * Every rule of drift. Breaking is what makes a client fail that did as the spec says and used the names that it
 * saw; notable is what a person should look at; harmless is what the spec allows at any time, or what two samples
 * of one living catalogue differ by.
 */
export const driftRules = {
  "dialect.renamed": {
    kind: "dialect",
    rank: "breaking",
    when: "a name that the spec leaves open (batch fields, the place of the GTIN) is another than recorded",
    why: "Every client sends or reads the old name. If the service takes both, set the old one in the config, under `dialect`: shelfcheck then uses it.",
  },
  "dialect.moved": {
    kind: "dialect",
    rank: "notable",
    when: "the GTIN was found at another place, and products still carry what stood at the old one",
    why: "Clients that read the old place still find something there.",
  },
  "dialect.lost": {
    kind: "dialect",
    rank: "notable",
    when: "a name that was found could not be found this time",
    why: "Nothing was seen under another name. What needs it was not judged, and is reported so.",
  },
  "dialect.found": {
    kind: "dialect",
    rank: "harmless",
    when: "a name was found that had not been",
    why: "No client can have used it.",
  },
  "retailer.vanished": {
    kind: "retailer",
    rank: "breaking",
    when: "the key may not use a retailer any more",
    why: "The spec lets it happen at any time, a release should not do it unnoticed: its products are gone for this client.",
  },
  "retailer.appeared": {
    kind: "retailer",
    rank: "harmless",
    when: "the key may use a retailer that it could not",
    why: "Spec, Retailer: the set can change at any time.",
  },
  "retailer.not-sampled": {
    kind: "retailer",
    rank: "harmless",
    when: "no product of a retailer was seen this time",
    why: "Its fields could not be compared; nothing says that they changed.",
  },
  "field.vanished": {
    kind: "field",
    rank: "breaking",
    when: "a field that (nearly) every product of a retailer had is on none now, and chance does not explain it",
    why: "Clients show or store what was always there.",
  },
  "field.vanished-optional": {
    kind: "field",
    rank: "notable",
    when: "a field that some products of a retailer had is on none now, and chance does not explain it",
    why: "Clients had to do without it for some products; now they do for all.",
  },
  "field.vanished-elsewhere": {
    kind: "field",
    rank: "notable",
    when: "as the two above, but not every category was browsed that was browsed then",
    why: "Fields go by category: what one has, another need not have.",
  },
  "field.rarer": {
    kind: "field",
    rank: "notable",
    when: "a field is on fewer than half as many products of a retailer, and chance does not explain it",
    why: "Often the beginning of its end, or a broken import.",
  },
  "field.not-seen": {
    kind: "field",
    rank: "harmless",
    when: "a rare field was not seen this time, which chance explains",
    why: "None of the few products seen needs to have it.",
  },
  "field.new": {
    kind: "field",
    rank: "notable",
    when: "a field that no retailer's products had is there now",
    why: "The spec returns an allow-list and nothing else: someone should know that this one is on it.",
  },
  "field.appeared": {
    kind: "field",
    rank: "harmless",
    when: "a field known of other retailers is on this one's products now",
    why: "Completeness varies by retailer, and a client that knows the field can read it.",
  },
  "status.unknown": {
    kind: "status",
    rank: "notable",
    when: "an endpoint answered with a status that it had not, and that the spec does not name",
    why: "Where it violates a requirement, that fails; here it shows that it is new.",
  },
  "status.server-error": {
    kind: "status",
    rank: "notable",
    when: "an endpoint answered with 500, 502 or 504 that it had not",
    why: "May be a bad moment, or a release that is not well.",
  },
  "status.no-success": {
    kind: "status",
    rank: "notable",
    when: "an endpoint that answered 200 did not this time, and chance does not explain it",
    why: "What needs such a response was not judged, and is reported so.",
  },
  "status.appeared": {
    kind: "status",
    rank: "harmless",
    when: "an endpoint answered with a status of the spec that it had not",
    why: "Depends on what there was to ask with; whether it is right, the requirements say.",
  },
  "status.gone": {
    kind: "status",
    rank: "harmless",
    when: "an endpoint no longer answered with a status, and chance does not explain it",
    why: "Depends on what there was to ask with; whether it is right, the requirements say.",
  },
  "limit.halved": {
    kind: "limit",
    rank: "breaking",
    when: "a probe (load --scenario rate-limit) finds half the limit or less, beyond what measuring explains",
    why: "Clients that kept well below the limit are refused now.",
  },
  "limit.lowered": {
    kind: "limit",
    rank: "notable",
    when: "a probe finds a lower limit, but more than half; or a quarter as many requests of a burst are accepted, or fewer",
    why: "Clients must not assume a fixed rate. A burst shows what was left of the limit at that moment, so it is a hint.",
  },
  "limit.raised": {
    kind: "limit",
    rank: "harmless",
    when: "a probe finds a higher limit, or four times as many requests of a burst are accepted",
    why: "No client is refused that was not.",
  },
} as const satisfies Record<string, DriftRule>;

export type DriftRuleId = keyof typeof driftRules;
