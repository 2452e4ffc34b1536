import type { Permissions } from "../access.ts";
import type { Answer, Caller } from "../call.ts";

/** GET /v1/retailers: what the organization may use at this moment. */
export function listRetailers(caller: Caller, permissions: Permissions): Answer {
  const retailers = [...caller.entitled]
    .flatMap((id) => permissions.retailersById.get(id) ?? [])
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
    .map(({ slug, name, domains }) => ({ slug, name, domains }));
  return { status: 200, headers: {}, body: { retailers } };
}
