import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Request } from "../client/requests.ts";
import { organizationOf } from "../client/target.ts";
import type { CheckContext } from "../engine/check.ts";
import { entriesUnderErrors, itemsSent } from "../response/batch-result.ts";
import { isObject } from "../response/body-path.ts";
import { identityOf, productsIn } from "../response/products-in.ts";

/** Something that was found, missing, and found again by one and the same request. */
export interface Incident {
  readonly missing: Exchange;
  /** The exchange that found it before. */
  readonly found: Exchange;
  readonly named: Pick<Finding, "product" | "subject">;
}

interface Sighting {
  readonly exchange: Exchange;
  readonly isFound: boolean;
  readonly named: Incident["named"];
}

/**
 * What the run asked for several times and that was missing in between, and how often it asked for what exists. A
 * product that left the catalogue is not found again, so it is none of these.
 */
export function falseNotFound({ exchanges, dialect }: Pick<CheckContext, "exchanges" | "dialect">): {
  readonly incidents: Incident[];
  readonly asked: number;
} {
  const sightings = Map.groupBy(
    exchanges.flatMap((exchange) => sightingsIn(exchange, dialect)),
    ({ key }) => key,
  );
  const existing = [...sightings.values()].filter((all) => all.some(({ isFound }) => isFound));
  return {
    incidents: existing.flatMap(incidentsOf),
    asked: existing.reduce((sum, { length }) => sum + length, 0),
  };
}

function incidentsOf(sightings: readonly Sighting[]): Incident[] {
  const before = sightings.find(({ isFound }) => isFound);
  const last = sightings.findLastIndex(({ isFound }) => isFound);
  return sightings.flatMap(({ isFound, exchange, named }, index) =>
    before !== undefined && !isFound && index > sightings.indexOf(before) && index < last
      ? [{ missing: exchange, found: before.exchange, named }]
      : [],
  );
}

function sightingsIn(exchange: Exchange, dialect: CheckContext["dialect"]): (Sighting & { key: string })[] {
  const { endpoint, caller, request, response } = exchange;
  const { status, json } = response;
  if (caller === "nobody" || (status !== 200 && status !== 404)) return [];
  const organization = organizationOf[caller];
  const key = `${organization} ${request.method} ${request.url}`;
  const found = productsIn(exchange, dialect);
  switch (endpoint) {
    case "lookup-by-id":
    case "lookup-by-url":
    case "lookup-by-gtin": {
      const isFound = status === 200 && found.length > 0;
      if (status === 200 && !isFound) return [];
      const [retailer, productId] = segmentsOf(request.url);
      const asked = endpoint === "lookup-by-id" ? { product: { retailer, productId } } : {};
      return [{ key, exchange, isFound, named: { ...asked, ...identityOf(found[0]?.product ?? {}) } }];
    }
    case "category-page": {
      if (status !== 200 || !isObject(json) || !Array.isArray(json.products)) return [];
      const subject = new URL(request.url).searchParams.get("category") ?? "";
      return [{ key, exchange, isFound: json.products.length > 0, named: { subject } }];
    }
    case "batch": {
      if (status !== 200 || dialect.batchFoundField === undefined) return [];
      const reported = entriesUnderErrors(exchange);
      return itemsSent(exchange).flatMap(({ retailer, product_id: productId }) => {
        if (typeof retailer !== "string" || typeof productId !== "string") return [];
        const named = { product: { retailer, productId } };
        const isIt = (one: Readonly<Record<string, unknown>>) =>
          one.retailer === retailer && one.product_id === productId;
        const isFound = found.some(({ product }) => isIt(product));
        // A batch whose products do not say which they are shows only what it reports as missing.
        const allNamed = found.every(({ product }) => identityOf(product).product !== undefined);
        if (!isFound && !allNamed && !reported.some(isIt)) return [];
        return [
          { key: `${organization} batch ${JSON.stringify([retailer, productId])}`, exchange, isFound, named },
        ];
      });
    }
    case "retailers":
    case "other":
      return [];
    default:
      return endpoint satisfies never;
  }
}

function segmentsOf(url: string): [string, string] {
  const [retailer = "", productId = ""] = new URL(url).pathname.split("/").slice(-2);
  try {
    return [decodeURIComponent(retailer), decodeURIComponent(productId)];
  } catch {
    return [retailer, productId];
  }
}

/** The request of an exchange, to be sent once more. */
export function requestAgain({ endpoint, caller, request }: Exchange, { target }: CheckContext): Request {
  const { method, url, body } = request;
  return {
    endpoint,
    method,
    path: url.slice(target.baseUrl.length),
    caller,
    keyHeader: "either",
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body }),
  };
}
