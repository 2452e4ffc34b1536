import { setImmediate } from "node:timers/promises";
import type { WireChange } from "../../service/wire.ts";
import {
  as,
  isFor,
  listOf,
  onBody,
  onlyFor,
  onRetailers,
  onStatus,
  parameter,
  remembering,
  withJson,
  without,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";

const domains = "retailer.domains/every-entry";
const shape = "retailers.shape/list";

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;

const onDomains = (change: (hosts: readonly unknown[]) => unknown): WireChange =>
  onRetailers((entry) => ({ ...entry, domains: change(listOf(entry.domains)) }));

const onList = (change: (list: readonly unknown[]) => readonly unknown[]): WireChange =>
  onBody("retailers", (body) => ({ ...body, retailers: change(listOf(body.retailers)) }));

/** Faults in GET /retailers and its entries. */
export const retailerFaults = {
  "empty-list-under-load": {
    does: "With more than four requests at once, the list of retailers is empty.",
    // The list is empty when the query behind it is refused.
    wire: remembering(() => {
      let underWay = 0;
      return (send) => async (request) => {
        underWay++;
        const isBusy = underWay > 4 && isFor("retailers")(request);
        try {
          await setImmediate();
          const response = await send(request);
          return isBusy && response.status === 200 ? withJson(response, { retailers: [] }) : response;
        } finally {
          underWay--;
        }
      };
    }),
    atLimit: true,
    fails: ["retailers.scope/one-list"],
    source: "nodeshift/opossum#196",
  },
  "domains-omitted-when-empty": {
    does: "`domains` is omitted when it would be empty.",
    wire: onRetailers((entry) => (isEmpty(entry.domains) ? without("domains", entry) : entry)),
    fails: [domains],
  },
  "domains-urls": {
    does: "`domains` has URLs instead of host names.",
    wire: onDomains((hosts) => hosts.map((host) => `https://${host}/`)),
    fails: ["retailer.host-names/every-entry"],
  },
  "domains-with-wildcard": {
    does: "`domains` has patterns such as *.shop.example.",
    wire: onDomains((hosts) => hosts.map((host) => `*.${host}`)),
    fails: ["retailer.no-patterns/every-entry"],
  },
  "slug-missing": {
    does: "Retailers have an `id` instead of a `slug`.",
    wire: onRetailers(({ slug, ...entry }) => ({ ...entry, id: slug })),
    fails: ["retailer.slug/every-entry"],
  },
  "slug-of-nobody": {
    does: "The list of retailers has one that does not exist.",
    wire: onList((list) => [{ slug: "shelfcheck-not-there", name: "Not there", domains: [] }, ...list]),
    fails: ["retailer.slug/accepted"],
  },
  "name-missing": {
    does: "Retailers have no `name`.",
    wire: onRetailers((entry) => without("name", entry)),
    fails: ["retailer.name-given/every-entry"],
  },
  "name-object": {
    does: "`name` of a retailer is an object.",
    wire: onRetailers((entry) => ({ ...entry, name: { en: entry.name } })),
    fails: ["retailer.name/every-entry"],
  },

  "retailers-renamed": {
    does: "`retailers` is named `data`.",
    wire: onBody("retailers", ({ retailers }) => ({ data: retailers })),
    fails: [shape, "retailers.shape/every-list"],
  },
  "retailers-want-parameter": {
    does: "GET /retailers needs a parameter.",
    wire: onStatus(
      200,
      as(400),
      (request) => isFor("retailers")(request) && parameter(request, "all") === undefined,
    ),
    fails: [shape, "versioning.path/base-address"],
  },
  "retailers-unscoped": {
    does: "GET /retailers lists the retailers of everybody.",
    wire: entitledToAll(isFor("retailers")),
    fails: ["retailers.scope/all-granted", "retailers.scope/other-organization"],
  },
  "retailers-lacks-one": {
    does: "One retailer is missing from the list.",
    wire: onList((list) => list.toSpliced(1, 1)),
    fails: ["retailers.scope/all-listed"],
  },
  "second-key-lists-less": {
    does: "The list of a second key lacks a retailer.",
    wire: onlyFor(
      "sameOrg",
      onList((list) => list.slice(1)),
    ),
    fails: ["service.organization-scope/retailers"],
  },
} satisfies FaultTable;
