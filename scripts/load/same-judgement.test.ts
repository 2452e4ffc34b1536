import { expect, test } from "vitest";
import type { Exchange } from "../../conformance/client/exchange.ts";
import { rules } from "../../conformance/rules/rules.ts";
import { createResponseRules } from "../../scenarios/lib/response-rules.ts";
import { given, isObject } from "../../schemas/json.ts";
import { hasProductFields } from "../../schemas/product-values.ts";
import { requestKindIds } from "../../schemas/scenarios.ts";
import { ruleExamples as examples } from "../../test/support/rule-examples/every-rule.ts";
import { common, type ExamplesByRule, exampleFacts } from "../../test/support/rule-examples/example.ts";

// The suite and the load say the same of the same response: the complete check of the load judges the examples of each rule.

/** Rules that the load does not apply, and why. */
const notUnderLoad: Readonly<Record<string, string>> = {
  "service.portable-json/every-response": "a warning, which takes k6 too long",
  "service.json/every-response": "k6 shows no bytes of a text, so only its content type is judged",
  "product.freshness/every-product": "the clock of a pod is no measure",
  "product.retailer/every-product": "needs the names of all retailers",
  "product.retailer-name/of-another": "needs the names of all retailers",
  "product.listed-name/as-listed": "needs the names of all retailers",
  "authentication.entitlement/every-product": "needs the list of the key; the scenario tenants compares it",
  "retailer.detection/every-product": "needs the domains of all retailers",
  "retailer.slug/every-entry": "the load sends no request for the list except in the scenario tenants",
  "retailer.name-given/every-entry": "the same",
  "retailer.no-patterns/every-entry": "the same",
  "page.no-placeholders/every-page": "a warning",
  "page.own-cursor/every-page": "a warning; walks count repeated cursors",
  "retailer.host-names/every-entry": "the same",
  "retailers.scope/one-list": "the same",
  "query.limit/every-page": "the load sends no limit except in the scenario tenants",
  "errors.retry-after/every-refusal": "has a limit of its own, refusals_malformed",
};

const load = createResponseRules(exampleFacts.fieldNames);

function underLoad({ endpoint, request, response }: Exchange) {
  const kind = requestKindIds.find((id) => id === endpoint);
  const { pathname, search } = new URL(request.url);
  const path = pathname.replace("/v1", "") + (endpoint === "lookup-by-id" ? "" : search);
  const headers = { "Content-Type": response.headers["content-type"] ?? "application/json" };
  const { status, text: body } = response;
  const received = { status, body, headers, json: () => JSON.parse(body) as unknown };
  if (kind === undefined) return undefined;
  const invalid = load.check({ name: kind, path, ...given({ body: request.body }) }, received);
  return invalid ?? (status === 200 ? load.oddity(kind, received) : undefined);
}

function inTheSuite(exchange: Exchange): boolean {
  return (
    comparesWithKnown(exchange) || rules.some((rule) => (rule.judge(exchange, exampleFacts) ?? []).length > 0)
  );
}

/** A lookup that returns no field of a product: no rule for one response, but each check that knows the product fails it. */
function comparesWithKnown({ endpoint, response: { status, json } }: Exchange): boolean {
  return status === 200 && endpoint.startsWith("lookup-") && isObject(json) && !hasProductFields(json);
}

const isSentByLoad = ({ endpoint, response: { status, json } }: Exchange) =>
  requestKindIds.some((id) => id === endpoint) && status !== 204 && typeof json === "object" && json !== null;

const right = { passes: Object.values(common.right), fails: [] };
const rows: ExamplesByRule = { ...examples, "every right response": right };

test.each(Object.entries(rows).filter(([id]) => notUnderLoad[id] === undefined))(
  "%s is judged alike by the suite and under load",
  (_id, { passes = [], fails }) => {
    for (const exchange of fails.filter(isSentByLoad))
      expect([exchange.response.text, underLoad(exchange)]).not.toEqual([exchange.response.text, undefined]);
    for (const exchange of passes.filter((one) => isSentByLoad(one) && !inTheSuite(one)))
      expect([exchange.response.text, underLoad(exchange)]).toEqual([exchange.response.text, undefined]);
  },
);
