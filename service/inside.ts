import { keyHeaders } from "../schemas/api.ts";
import type { AuthenticatedCaller } from "./access.ts";
import type { ServiceRequest } from "./call.ts";
import { domainsAbove, pageAddress } from "./catalog/page-address.ts";
import { badRequest, forbidden, HttpError, notFound } from "./errors.ts";
import { createLimiter } from "./limiter.ts";
import { createSteps, type Sources, type Steps } from "./steps.ts";

// Faults and variants that no change of requests and responses can express: they need to know what is in the
// catalog, who may see it, where a page begins, or what the limit counts.

interface InsideChange {
  readonly sources?: (sources: Sources) => Sources;
  readonly steps?: (steps: Steps, sources: Sources) => Steps;
}

const queryOf = (call: ServiceRequest) => new URLSearchParams(call.query);

const isMode = (call: ServiceRequest, mode: "url" | "gtin" | "category"): boolean => {
  const query = queryOf(call);
  const sent = ["url", "gtin", "category"].filter((name) => query.has(name));
  return call.route === "products" && sent.length === 1 && sent[0] === mode;
};
const isScoped = (call: ServiceRequest) => isMode(call, "gtin") && queryOf(call).has("retailer");
const isUnscoped = (call: ServiceRequest) => isMode(call, "gtin") && !queryOf(call).has("retailer");

/** Handles the requests that `applies` selects as if their organization were entitled to every retailer. */
const entitledToAll = (applies: (call: ServiceRequest) => boolean): InsideChange => ({
  steps: (steps) => ({
    ...steps,
    respond: (call) => steps.respond(applies(call) ? withEveryRetailer(call) : call),
  }),
});

/** Changes what an accepted key is entitled to; `start` is called at every start, so that nothing is remembered. */
const withEntitlement = (
  start: () => (caller: AuthenticatedCaller, call: ServiceRequest) => ReadonlySet<number>,
): InsideChange => ({
  steps(steps) {
    const entitledNow = start();
    return {
      ...steps,
      identify(call) {
        const caller = steps.identify(call);
        return { ...caller, entitled: entitledNow(caller, call) };
      },
    };
  },
});

/** Responds in place of a refusal with one status. An error that it throws becomes the response. */
const onRefusal = (
  status: number,
  answer: (
    call: ServiceRequest,
    steps: Steps,
    sources: Sources,
    refusal: HttpError,
  ) => ReturnType<Steps["respond"]>,
): InsideChange => ({
  steps: (steps, sources) => ({
    ...steps,
    async respond(call) {
      try {
        return await steps.respond(call);
      } catch (error) {
        if (!(error instanceof HttpError) || error.status !== status) throw error;
        return await answer(call, steps, sources, error);
      }
    },
  }),
});

const limitedTo = (rate: number, burst: number): InsideChange => ({
  sources: (sources) => ({ ...sources, limiter: createLimiter(rate, burst) }),
});

/** Every change by its name. */
const insideChanges = {
  "x-api-key-entitled-to-less": withEntitlement(
    () =>
      ({ entitled }, { headers }) =>
        headers.authorization === undefined ? new Set([...entitled].slice(0, -1)) : entitled,
  ),
  "second-key-sees-less": withEntitlement(() => {
    const firstKeys = new Map<number, string>();
    return ({ organization, entitled }, { headers }) => {
      const key = String(
        headers[keyHeaders.plain.toLowerCase()] ?? headers.authorization?.slice("Bearer ".length),
      );
      const first = firstKeys.get(organization) ?? key;
      firstKeys.set(organization, first);
      return key === first ? entitled : new Set([...entitled].slice(1));
    };
  }),
  "retailers-unscoped": entitledToAll(({ route }) => route === "retailers"),
  "unentitled-retailer-answered": entitledToAll(({ route }) => route === "lookup-by-id"),
  "url-unentitled-answered": entitledToAll((call) => isMode(call, "url")),
  "gtin-unentitled-retailer-answered": entitledToAll(isScoped),
  "gtin-unentitled-answered": entitledToAll(isUnscoped),
  "category-unfiltered": entitledToAll((call) => isMode(call, "category")),
  "category-unfiltered-on-second-page": entitledToAll(
    (call) => isMode(call, "category") && queryOf(call).has("cursor"),
  ),
  "category-unfiltered-with-bearer": entitledToAll(
    (call) => isMode(call, "category") && call.headers.authorization !== undefined,
  ),
  "batch-unentitled-answered": entitledToAll(({ route }) => route === "batch"),
  "url-host-ignored": onRefusal(404, samePathOnKnownHost),
  "cursor-repeats-item": {
    sources: (sources) => ({
      ...sources,
      catalog: {
        ...sources.catalog,
        // Pages of one or two products stay as they are: otherwise the walk would never end.
        inCategory: (category, after, limit) =>
          sources.catalog.inCategory(category, after > 0 && limit > 2 ? after - 1 : after, limit),
      },
    }),
  },

  "gtin-unentitled-403": onRefusal(404, async (call, steps, _sources, refusal) => {
    if (!isUnscoped(call)) throw refusal;
    await steps.respond(withEveryRetailer(call));
    throw forbidden("Your organization may not use the retailer of this product.");
  }),
  "existence-before-entitlement": onRefusal(403, async (call, steps, _sources, refusal) => {
    if (call.route === "lookup-by-id") await steps.respond(withEveryRetailer(call));
    throw refusal;
  }),
  "first-page-empty": firstPageEmpty(),
  "unknown-category-404": onUnknownCategory(() => notFound("There is no such category.")),
  "unknown-category-400": onUnknownCategory(() => badRequest("There is no such category.")),
  "tight-limit": limitedTo(8, 10),
  "very-tight-limit": limitedTo(3, 3),
} satisfies Record<string, InsideChange>;

export type InsideName = keyof typeof insideChanges;

/** The steps of the service with the named changes, the first one innermost. */
export function createChangedSteps(honest: Sources, names: readonly InsideName[]): Steps {
  const changes: readonly InsideChange[] = names.map((name) => insideChanges[name]);
  const sources = changes.reduce((inner, change) => change.sources?.(inner) ?? inner, honest);
  return changes.reduce((inner, change) => change.steps?.(inner, sources) ?? inner, createSteps(sources));
}

function withEveryRetailer(call: ServiceRequest): ServiceRequest {
  const { caller } = call;
  if (caller === undefined) return call;
  return { ...call, caller: { ...caller, entitled: new Set(caller.permissions.retailersById.keys()) } };
}

/** A page of an unknown host is looked for by its path on the hosts of the catalog. */
async function samePathOnKnownHost(
  call: ServiceRequest,
  steps: Steps,
  { catalog }: Sources,
  refusal: HttpError,
) {
  const address = isMode(call, "url") ? pageAddress(queryOf(call).get("url") ?? "") : undefined;
  if (address === undefined || call.caller === undefined) throw refusal;
  const { entitled, permissions } = call.caller;
  const pages = await catalog.byPagePath(address.path);
  const page = pages.find(({ retailer }) => entitled.has(retailer));
  const isKnown = [...domainsAbove(address.host)].some((domain) => permissions.retailersByDomain.has(domain));
  if (page === undefined || isKnown) throw refusal;
  const url = `https://${page.host}${address.path}`;
  return await steps.respond({ ...call, query: new URLSearchParams({ url }).toString() });
}

function firstPageEmpty(): InsideChange {
  return {
    steps: (steps, { cursors }) => ({
      ...steps,
      async respond(call) {
        const answer = await steps.respond(call);
        const query = queryOf(call);
        if (!isMode(call, "category") || query.has("cursor") || call.caller === undefined) return answer;
        const { products } = JSON.parse(String(answer.body));
        if (products.length === 0) return answer;
        const { organization } = call.caller;
        const next_cursor = cursors.write({ organization, category: query.get("category") ?? "" }, 0);
        return { ...answer, body: { products: [], meta: { next_cursor, count: 0 } } };
      },
    }),
  };
}

function onUnknownCategory(refusal: () => HttpError): InsideChange {
  return {
    steps: (steps, { catalog }) => ({
      ...steps,
      async respond(call) {
        const answer = await steps.respond(call);
        if (!isMode(call, "category") || queryOf(call).has("cursor")) return answer;
        const [any] = await catalog.inCategory(queryOf(call).get("category") ?? "", 0, 1);
        if (any === undefined) throw refusal();
        return answer;
      },
    }),
  };
}
