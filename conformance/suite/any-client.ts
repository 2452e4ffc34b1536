import { batch, byCategory, byId, type Request } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "./check/check.ts";
import { itemOf, knownItems, unknownProduct } from "./check/inputs.ts";
import type { TrafficRow } from "./check/rows.ts";

const jsonInUtf8 = "application/json; charset=utf-8";

/** The headers of usual clients besides the key: none at all, and those of curl, Go, Python's requests and axios. */
const usualClients: readonly Request["headers"][] = [
  { accept: undefined },
  { accept: "*/*", "accept-encoding": "gzip", "content-type": jsonInUtf8 },
  { accept: "*/*", "accept-encoding": "gzip, deflate" },
  {
    accept: "application/json, text/plain, */*",
    "accept-encoding": "gzip, deflate, br",
    "content-type": jsonInUtf8,
  },
];

/** The request as each of these clients sends it. */
export function asUsualClients(request: Request): Request[] {
  return usualClients.map(({ "content-type": type, ...accepted }) => {
    const named = request.body === undefined || type === undefined ? {} : { "content-type": type };
    return { ...request, headers: { ...request.headers, ...accepted, ...named } };
  });
}

/** A success, an error and a batch with both, from every kind of client: the rules judge each response. */
export const anyClient: TrafficRow = {
  id: "service.any-client/usual-clients",
  title: "Clients with other headers that accept JSON get a response",
  requests: 12,
  async send(context: CheckContext) {
    const { category, batch: names } = context.fixtures;
    const unknown = await unknownProduct(context);
    const known = knownItems(context, 1);
    return [
      byCategory(need(category).category),
      byId(unknown.retailer, unknown.productId),
      ...(names.present ? [batch([...known, itemOf(unknown)], names.value)] : []),
    ].flatMap(asUsualClients);
  },
  how: "in turn",
  rules: ["service.any-client/every-response"],
};
