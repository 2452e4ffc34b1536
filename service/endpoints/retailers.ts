import type { Answer, Caller } from "../call.ts";

/** GET /v1/retailers: what the organization may use at this moment. */
export function listRetailers(caller: Caller): Answer {
  const retailers = [...caller.entitled]
    .flatMap((id) => caller.permissions.retailersById.get(id) ?? [])
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
    .map(({ slug, name, domains }) => ({ slug, name, domains }));
  return { status: 200, headers: {}, body: { retailers } };
}
