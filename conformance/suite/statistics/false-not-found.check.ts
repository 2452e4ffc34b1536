import type { Finding } from "../../../schemas/contracts/finding.ts";
import { requestOf } from "../../client/exchange.ts";
import { failed, NotJudged, type Outcome, passed, warning } from "../../client/outcome.ts";
import type { Request } from "../../client/requests.ts";
import { acrossAllRequests, type CheckContext, section } from "../check/check.ts";
import { wrongResponses } from "./concurrent-requests.ts";
import { falseNotFound, type Incident, type Presence } from "./false-not-found.ts";

/** Lookups to add where something was missing, and the number of requests that take turns. */
const lookupsToAdd = 60;
const requestsInTurn = 15;

/** Spec, Errors: 404 means "no matching product". A failure behind the service must not look like that. */
export default section(
  "errors",
  [
    {
      id: "errors.false-not-found/known-products",
      title: "Nothing that is found earlier and later in the run is missing in between",
      requests: 1,
      run: neverMissing,
    },
  ],
  acrossAllRequests,
);

/** Fails when something was missing several times, and warns when it was missing once in spite of many more lookups. */
async function neverMissing(context: CheckContext): Promise<Outcome> {
  // Concurrent requests are where it happens most, so they must be part of the run.
  await wrongResponses(context);
  const presence = falseNotFound(context);
  // A single miss may be of a product that came or went during the run, so more lookups decide.
  const isDoubtful = presence.endpoints.size > 0 && presence.incidents.length < 2;
  if (isDoubtful) for (const request of moreLookups(presence, context)) await context.ask(request);
  const { incidents, requests } = isDoubtful ? falseNotFound(context) : presence;
  const [first] = incidents;
  if (first === undefined) return passed({ code: "checked", seen: { count: requests, of: "requests" } });
  const present = await foundNow(first, context);
  const finding = findingOn(incidents, requests);
  return incidents.length > 1
    ? failed(finding, first.missing, first.found, present)
    : warning(finding, first.missing, first.found, present);
}

/** Sends the request again. @throws NotJudged when the product has left the catalog. */
async function foundNow({ missing, named }: Incident, context: CheckContext) {
  const request = requestOf(missing, context.target);
  const present = await context.ask(request);
  if (present.response.status !== 404) return present;
  const { response } = await context.ask(request);
  if (response.status === 404) {
    const { product } = named;
    throw new NotJudged({ code: "product-gone", product });
  }
  return present;
}

function findingOn(incidents: readonly Incident[], total: number): Finding {
  const [{ missing, named }] = incidents as readonly [Incident, ...Incident[]];
  return {
    code: "false-not-found",
    endpoint: missing.endpoint,
    actual: missing.response.status,
    ...named,
    seen: { count: incidents.length, total, of: "requests" },
    byEndpoint: [...Map.groupBy(incidents, (one) => one.missing.endpoint)].map(([endpoint, all]) => ({
      endpoint,
      count: all.length,
      total: all.length,
    })),
  };
}

/** Requests that found something at the endpoints that missed something, in turn. */
function moreLookups({ endpoints, found }: Presence, { target }: CheckContext): Request[] {
  const requests = found
    .filter(({ endpoint }) => endpoints.has(endpoint))
    .map((exchange) => requestOf(exchange, target));
  const distinct = new Map(requests.map((request) => [JSON.stringify(request), request]));
  const inTurn = [...distinct.values()].slice(0, requestsInTurn);
  return Array.from({ length: lookupsToAdd }, (_, index) => inTurn[index % inTurn.length]).filter(
    (request) => request !== undefined,
  );
}
