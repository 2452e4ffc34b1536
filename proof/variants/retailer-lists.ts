import type { WireChange } from "../../service/wire.ts";
import { inTurn, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import type { VariantTable } from "../changes/entry.ts";
import { entitledToAllBut } from "../changes/key-entitlement.ts";
import { type Json, listOf } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

/** Each list of retailers has one more domain, in another order. */
const moreDomains: WireChange = (send, keys) => {
  let count = 0;
  const more = on.listed("retailers", (list) => {
    const mirror = `v${++count}.mirror.example`;
    return list
      .toReversed()
      .map((entry) => ({ ...entry, domains: [...listOf<string>(entry.domains), mirror] }));
  });
  return more(send, keys);
};

const granted: Json = { slug: "granted-today", name: "Granted", domains: [] };

/** From the first request with a key in both headers on, each list has one retailer more. */
const oneMoreLater: WireChange = (send, keys) => {
  let isGranted = false;
  const noticing = on.response((_response, request) => {
    isGranted ||= is.keyedTwice(request);
    return undefined;
  });
  const more = on.listed("retailers", (list) => (isGranted ? [...list, granted] : list));
  return inTurn(noticing, more)(send, keys);
};

export const retailerVariants: readonly VariantTable[] = [
  {
    "domains-not-configured": {
      does: "No retailer has domains.",
      wire: on.retailers((entry) => ({ ...entry, domains: [] })),
      allowedBy: [
        "Retailer",
        "Always present on a retailer entry from GET /v1/retailers; an empty array when none is configured yet.",
      ],
    },
    "domains-change-always": {
      does: "Each list of retailers has one more domain, in another order.",
      wire: moreDomains,
      allowedBy: [
        "Retailer",
        "The set of retailers, and the domains of each, can change at any time, independent of client releases.",
      ],
    },
    "retailer-granted": {
      does: "From the first request with a key in both headers on, each list of retailers has one more, without products.",
      wire: oneMoreLater,
      allowedBy: [
        "Retailer",
        "A retailer can be added, temporarily disabled, or the organization's access can change.",
      ],
    },
    "other-organization-has-less": {
      does: "The first organization may use every retailer of the other one.",
      wire: where(
        is.of("otherOrg"),
        inTurn(entitledToAllBut("harbour-outlet"), entitledToAllBut("vault-direct")),
      ),
      allowedBy: [
        "GET /v1/retailers",
        "The list is scoped to the calling organization and is the live source of truth.",
      ],
    },
  },
];
