import {
  type Json,
  onBody,
  onIdentify,
  onRespond,
  remembering,
  withEveryRetailer,
} from "../changes/answer-changes.ts";
import type { Steps } from "../steps.ts";
import { faultsOf } from "./fault.ts";

const domainsThere =
  "Always present on a retailer entry from GET /v1/retailers; an empty array when none is configured yet.";
const scoped = "The list is scoped to the calling organization and is the live source of truth.";

const onEntries = (change: (retailer: Json) => Json) =>
  onBody(["retailers"], (body) => ({ ...body, retailers: (body.retailers as Json[]).map(change) }));

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;

export const retailerFaults = [
  ...faultsOf("Retailer", [
    [
      "domains-omitted-when-empty",
      "retailer.domains-present",
      domainsThere,
      onEntries(({ domains, ...its }) => (isEmpty(domains) ? its : { ...its, domains })),
    ],
    [
      "domains-null-when-empty",
      "retailer.domains-present",
      domainsThere,
      onEntries((its) => (isEmpty(its.domains) ? { ...its, domains: null } : its)),
    ],
    [
      "domains-omitted",
      "retailer.domains-present",
      domainsThere,
      onEntries(({ domains: _domains, ...its }) => its),
    ],
    [
      "domains-string",
      "retailer.domains-type",
      "domains | array of string | Host names of the retailer.",
      onEntries((its) => ({ ...its, domains: (its.domains as string[]).join(",") })),
    ],
    [
      "domains-objects",
      "retailer.domains-type",
      "domains | array of string | Host names of the retailer.",
      onEntries((its) => ({ ...its, domains: (its.domains as string[]).map((host) => ({ host })) })),
    ],
    [
      "domains-urls",
      "retailer.domains-host-names",
      "domains | array of string | Host names of the retailer.",
      onEntries((its) => ({ ...its, domains: (its.domains as string[]).map((host) => `https://${host}/`) })),
    ],
    [
      "slug-upper-case",
      "retailer.slug-usable",
      "slug | string | Identifier used as the `retailer` parameter anywhere a retailer is accepted.",
      onEntries((its) => ({ ...its, slug: String(its.slug).toUpperCase() })),
    ],
    [
      "slug-missing",
      "retailer.slug-type",
      "slug | string | Identifier used as the `retailer` parameter anywhere a retailer is accepted.",
      onEntries(({ slug, ...its }) => ({ ...its, id: slug })),
    ],
    [
      "name-missing",
      "retailer.name-type",
      "name | string | Display name.",
      onEntries(({ name: _name, ...its }) => its),
    ],
    [
      "name-object",
      "retailer.name-type",
      "name | string | Display name.",
      onEntries((its) => ({ ...its, name: { en: its.name } })),
    ],
  ]),
  ...faultsOf("GET /v1/retailers", [
    [
      "retailers-bare-list",
      "retailers.envelope",
      "Response 200: `{ retailers: [ Retailer, ... ] }`.",
      onBody(["retailers"], (body) => body.retailers as never),
    ],
    [
      "retailers-renamed",
      "retailers.envelope",
      "Response 200: `{ retailers: [ Retailer, ... ] }`.",
      onBody(["retailers"], (body) => ({ data: body.retailers })),
    ],
    [
      "retailers-by-slug",
      "retailers.envelope",
      "Response 200: `{ retailers: [ Retailer, ... ] }`.",
      onBody(["retailers"], (body) => ({
        retailers: Object.fromEntries((body.retailers as Json[]).map((its) => [its.slug, its])),
      })),
    ],
    [
      "retailers-unscoped",
      "retailers.scoped",
      scoped,
      {
        steps: (steps: Steps, sources) => ({
          ...steps,
          respond: (call) =>
            steps.respond(
              call.endpoint === "retailers" ? withEveryRetailer(call, sources.permissions()) : call,
            ),
        }),
      },
    ],
    [
      "retailers-lacks-one",
      "retailers.scoped",
      scoped,
      onBody(["retailers"], (body) => ({
        retailers: (body.retailers as Json[]).filter((its) => its.slug !== "tinkerbox"),
      })),
    ],
    [
      "retailers-want-parameter",
      "retailers.no-parameters",
      "Request: no parameters.",
      onRespond(async (call, inner) =>
        call.endpoint === "retailers" && !call.query.includes("all=")
          ? { status: 400, headers: {}, body: { error: { code: "bad_request", message: "Give `all`." } } }
          : inner(call),
      ),
    ],
    [
      "second-key-sees-less",
      "authentication.organization-scope",
      "Keys are scoped to one organization.",
      remembering(() => {
        const firstKeys = new Map<number, string>();
        return onIdentify((call, inner) => {
          const caller = inner(call);
          const key = String(call.headers["x-api-key"] ?? call.headers.authorization?.slice(7));
          const first = firstKeys.get(caller.organization) ?? key;
          firstKeys.set(caller.organization, first);
          return key === first ? caller : { ...caller, entitled: new Set([...caller.entitled].slice(1)) };
        });
      }),
    ],
  ]),
];
