import type { WireChange } from "../../service/wire.ts";
import { whenBusy, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";
import { as, type Json, listOf, without } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const shape = "retailers.shape/list";

const onList = (change: (list: readonly Json[]) => readonly Json[]): WireChange =>
  on.listed("retailers", change);

const onDomains = (change: (host: string) => string): WireChange =>
  on.retailers((entry) => ({ ...entry, domains: listOf<string>(entry.domains).map(change) }));

/** Faults in GET /retailers and its entries. */
export const retailerFaults: readonly FaultTable[] = [
  {
    // The list is empty when the query behind it is refused.
    "empty-list-under-load": {
      does: "With more than four requests at once, the list of retailers is empty.",
      wire: whenBusy(
        4,
        is.always,
        onList(() => []),
      ),
      whole: true,
      fails: ["retailers.scope/one-list"],
      source: "nodeshift/opossum#196",
    },
    "domains-omitted-when-empty": {
      does: "`domains` is omitted when it would be empty.",
      wire: on.retailers((entry) => (listOf(entry.domains).length === 0 ? without("domains", entry) : entry)),
      fails: ["retailer.domains/every-entry"],
    },
    "domains-of-another": {
      does: "Each retailer has the domains of the next one.",
      wire: onList((list) =>
        list.map((entry, at) => ({ ...entry, domains: list[(at + 1) % list.length]?.domains })),
      ),
      fails: ["retailer.detection/every-product"],
    },
    "slug-of-nobody": {
      does: "The list of retailers has one that does not exist.",
      wire: onList((list) => [{ slug: "shelfcheck-not-there", name: "Not there", domains: [] }, ...list]),
      fails: ["retailer.slug/accepted"],
    },
    "name-object": {
      does: "`name` of a retailer is an object.",
      wire: on.retailers((entry) => ({ ...entry, name: { en: entry.name } })),
      fails: ["retailer.name/every-entry"],
    },
    "retailers-renamed": {
      does: "`retailers` is named `data`.",
      wire: on.body("retailers", ({ retailers }) => ({ data: retailers })),
      fails: ["retailers.shape/every-list"],
    },
    "retailers-want-parameter": {
      does: "GET /retailers needs a parameter.",
      wire: on.status(200, as(400), is.all(is.list, is.not(is.sending("all")))),
      fails: [shape, "versioning.path/base-address"],
    },
    "second-key-lists-less": {
      does: "The list of a second key lacks a retailer.",
      wire: where(
        is.of("sameOrg"),
        onList((list) => list.slice(1)),
      ),
      fails: ["service.organization-scope/retailers"],
    },
  },
  foundBy("retailer.host-names/every-entry", {
    "domains-urls": ["`domains` has URLs instead of host names.", onDomains((host) => `https://${host}/`)],
  }),
  foundBy("retailer.no-patterns/every-entry", {
    "domains-with-wildcard": ["`domains` has patterns such as *.shop.", onDomains((host) => `*.${host}`)],
  }),
  foundBy("retailer.slug/every-entry", {
    "slug-missing": [
      "Retailers have an `id` instead of a `slug`.",
      on.retailers(({ slug, ...entry }) => ({ ...entry, id: slug })),
    ],
    "retailer-listed-twice": [
      "GET /retailers lists the first retailer twice.",
      onList((list) => [...list.slice(0, 1), ...list]),
    ],
  }),
  foundBy("retailer.name-given/every-entry", {
    "name-missing": ["Retailers have no `name`.", on.retailers((entry) => without("name", entry))],
  }),

  foundBy(["retailers.scope/all-granted", "retailers.scope/other-organization"], {
    "retailers-unscoped": ["GET /retailers lists the retailers of everybody.", entitledToAll(is.list)],
  }),
  foundBy("retailers.scope/all-listed", {
    "retailers-lacks-one": ["One retailer is missing from the list.", onList((list) => list.toSpliced(1, 1))],
  }),
];
