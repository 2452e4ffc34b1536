import { expect, test } from "vitest";
import type { Exchange } from "../../conformance/client/exchange.ts";
import { rules } from "../../conformance/rules/judge-all.ts";
import { createResponseRules } from "../../scenarios/lib/response-rules.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { given, isObject } from "../../schemas/json.ts";
import { hasProductFields } from "../../schemas/product-values.ts";
import { requestKindIds } from "../../schemas/scenarios.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { ruleExamples as examples } from "../../test/support/rule-examples/every-rule.ts";
import {
  common,
  type ExamplesByRule,
  exampleFacts,
  unpriced,
} from "../../test/support/rule-examples/example.ts";

// The suite and the load say the same of the same response: the complete check of the load judges the examples of each rule.

/** Rules that the load does not apply, and why. */
const notUnderLoad: Readonly<Record<string, string>> = {
  "service.portable-json/every-response": "a warning, which takes k6 too long",
  "service.content-type/every-response": "a warning",
  "service.stand-ins/every-product": "a warning",
  "service.any-client/every-response": "the load names no codings, so it accepts any",
  "service.json/every-response": "k6 shows no bytes of a text, so only its content type is judged",
  "product.freshness/every-product": "the clock of a pod is no measure",
  "product.retailer/every-product": "needs the names of all retailers",
  "product.retailer-name/of-another": "needs the names of all retailers",
  "product.listed-name/as-listed": "needs the names of all retailers",
  "authentication.entitlement/every-product": "needs the list of the key; the scenario tenants compares it",
  "retailer.detection/every-product": "needs the domains of all retailers",
  "retailer.slug/every-entry": "of entries of the list, the load judges the types alone",
  "retailer.name-given/every-entry": "the same",
  "retailer.no-patterns/every-entry": "the same",
  "retailer.host-names/every-entry": "the same",
  "retailers.scope/one-list": "the same",
  "page.no-placeholders/every-page": "a warning",
  "page.own-cursor/every-page": "a warning; walks count repeated cursors",
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
  return load.check({ name: kind, path, ...given({ body: request.body }) }, received);
}

function inTheSuite(exchange: Exchange): boolean {
  return comparesWithKnown(exchange) || ofSuite(exchange).length > 0;
}

const ofSuite = (exchange: Exchange) => rules.flatMap((rule) => rule.judge(exchange, exampleFacts) ?? []);

/** Who a product is stands beside what load says of it. */
const sentence = (finding: Finding) => findingText({ ...finding, product: undefined }, defaultWords);

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
    underLoad(unpriced);
    for (const exchange of fails.filter(isSentByLoad)) {
      const found = underLoad(exchange);
      if (found === undefined) throw new Error(`nothing is wrong under load with ${exchange.response.text}`);
      const [said, ...inSuite] = [found, ...ofSuite(exchange).filter(({ path }) => path === found.path)].map(
        sentence,
      );
      if (inSuite.length > 0) expect(inSuite).toContain(said);
    }
    for (const exchange of passes.filter((one) => isSentByLoad(one) && !inTheSuite(one)))
      expect([exchange.response.text, underLoad(exchange)]).toEqual([exchange.response.text, undefined]);
  },
);
