import { errorCodeOf } from "../../schemas/api.ts";
import {
  endpointOf,
  type Send,
  type WireChange,
  type WireKeys,
  type WireRequest,
  type WireResponse,
} from "../../service/wire.ts";
import {
  errorResponse,
  isFor,
  type Json,
  keyOf,
  listOf,
  mapLists,
  objectIn,
  objectOf,
  onResponse,
  parameter,
  remembering,
  sentAs,
  type When,
  withJson,
  withParameters,
} from "./change.ts";

// Changes of what a key may see. Some of them ask with the key to every retailer, which the reference service makes for them.

/** Statuses of requests that were accepted as far as their entitlement. */
const readStatuses: readonly number[] = [200, 403, 404];

/** Responds to some requests, except pages of a category, as if their organization were entitled to every retailer. */
export const entitledToAll = (when: When): WireChange =>
  besideAll((response, request, ask) =>
    readStatuses.includes(response.status) && when(request) ? ask() : undefined,
  );

/** Changes responses; `ask` sends the same request with the key to every retailer. Undefined: no change. */
export function besideAll(
  change: (
    response: WireResponse,
    request: WireRequest,
    ask: () => Promise<WireResponse>,
  ) => Promise<WireResponse | undefined> | undefined,
): WireChange {
  return (send, keys) => async (request) => {
    const response = await send(request);
    const ask = () => send(sentAs("all", request, keys));
    return (await change(response, request, ask)) ?? response;
  };
}

/** Some pages of a category are not filtered by entitlement. */
export const pagesForAll = (when: When): WireChange =>
  remembering(() => {
    // A cursor is bound to its organization: the one of the same place for the key to every retailer.
    const counterparts = new Map<unknown, string>();
    const pageForAll = (request: WireRequest, send: Send, keys: WireKeys) => {
      const cursor = parameter(request, "cursor");
      const other = cursor === undefined ? undefined : counterparts.get(cursor);
      return send(sentAs("all", withParameters(request, { cursor: other }), keys));
    };
    return (send, keys) => async (request) => {
      const response = await send(request);
      if (response.status !== 200 || !isFor("category-page")(request)) return response;
      const whole = objectOf(await pageForAll(request, send, keys));
      const { next_cursor } = objectIn(objectOf(response)?.meta);
      counterparts.set(next_cursor, String(objectIn(whole?.meta).next_cursor));
      if (!when(request)) return response;
      return withJson(response, { ...whole, meta: { ...objectIn(whole?.meta), next_cursor } });
    };
  });

/** Some requests see fewer retailers, as those of an organization that is entitled to less. `keep` gets the slugs of the key. */
export const entitledToLess = (
  when: When,
  keep: (slugs: readonly unknown[]) => readonly unknown[],
): WireChange =>
  remembering(() => {
    const kept = new Map<string | undefined, readonly unknown[]>();
    async function keptFor(request: WireRequest, ask: Send): Promise<readonly unknown[] | undefined> {
      const key = keyOf(request);
      if (kept.has(key)) return kept.get(key);
      const retailers = { method: "GET", path: "/v1/retailers", query: "", body: Buffer.alloc(0) };
      const list = await ask({ ...request, ...retailers });
      if (list.status !== 200) return undefined;
      const slugs = keep(listOf(objectOf(list)?.retailers).map((entry) => objectIn(entry).slug));
      kept.set(key, slugs);
      return slugs;
    }
    return onResponse(async (response, request, ask) => {
      const body = objectOf(response);
      if (response.status !== 200 || body === undefined || !when(request)) return undefined;
      const slugs = await keptFor(request, ask);
      if (slugs === undefined) return undefined;
      const isSeen = (entry: unknown) => slugs.includes(objectIn(entry).slug ?? objectIn(entry).retailer);
      switch (endpointOf(request)) {
        case "retailers":
          return withJson(response, { ...body, retailers: listOf(body.retailers).filter(isSeen) });
        case "category-page": {
          const products = listOf(body.products).filter(isSeen);
          const meta = { ...objectIn(body.meta), count: products.length };
          return withJson(response, { ...body, products, meta });
        }
        case "batch":
          return withJson(response, batchWithout(body, isSeen));
        default:
          return isSeen(body) ? undefined : errorResponse(403);
      }
    });
  });

/** A batch result in which the products that are not seen are errors of their items. */
function batchWithout(result: Json, isSeen: (product: unknown) => boolean): Json {
  // An entry may wrap its product.
  const productOf = (entry: unknown) => objectIn(entry).product ?? entry;
  const refused: Json[] = [];
  const rest = mapLists(result, (list) =>
    list.filter((entry) => {
      const isKept = isSeen(productOf(entry));
      if (!isKept) refused.push(objectIn(productOf(entry)));
      return isKept;
    }),
  );
  const errors = refused.map(({ retailer, product_id }) => ({
    retailer,
    product_id,
    code: errorCodeOf(403),
    message: "Refused.",
  }));
  const meta = objectIn(result.meta);
  return {
    ...rest,
    errors: [...listOf(result.errors), ...errors],
    meta: {
      ...meta,
      found: Number(meta.found) - errors.length,
      other_errors: Number(meta.other_errors) + errors.length,
    },
  };
}
