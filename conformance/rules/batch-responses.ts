import {
  canBeOf,
  countersDisagree,
  entriesOf,
  itemName,
  itemNotSent,
  itemsIn,
  miscountedItems,
  type PlacedEntry,
  wrongTotal,
} from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { unlessCount, unlessType } from "../response/body-findings.ts";
import { productsIn } from "../response/products-in.ts";
import { countersOf, itemsSent } from "../response/readers.ts";
import { type Rule, type RuleFacts, rulesOn } from "./rule.ts";

const counterNames = ["total", "found", "not_found", "other_errors"] as const;

export const batchResponseRules = rulesOn("batch", eachBatch, {
  "batch-result.found/every-batch": [
    "Every batch result has an array of found products",
    (body, { fieldNames: { batchFoundField: field } }, exchange) => {
      if (field !== undefined) return unlessType(body, pointer(field), "array");
      const lists = Object.entries(body).filter(([name, value]) => name !== "errors" && Array.isArray(value));
      if (lists.length === 0) return [{ code: "no-found-list", path: "" }];
      const objects = lists.some(([, value]) => Array.isArray(value) && value.some(isObject));
      const expected = Number(countersOf(exchange).found);
      return objects || !(expected > 0) ? [] : [{ code: "no-found-list", path: "", expected }];
    },
  ],
  "batch-result.errors/every-batch": [
    "Every batch result has an array under errors",
    (body) => unlessType(body, "/errors", "array"),
  ],
  "batch-result.counters/every-batch": [
    "Every batch result has the four counters as whole numbers",
    (body) => counterNames.flatMap((name) => unlessCount(body, pointer("meta", name))),
  ],
  "batch-result.echo/every-batch": [
    "Every entry under errors echoes the retailer and product_id of an item that was sent",
    (body, _facts, exchange) => {
      if (!Array.isArray(body.errors)) return [];
      const sent = itemsSent(exchange);
      return body.errors.flatMap((entry: unknown, index) =>
        isObject(entry) && !sent.some((item) => echoes(entry, item))
          ? [itemNotSent(pointer("errors", index), entry)]
          : [],
      );
    },
  ],
  "batch.lookup/every-batch": [
    "Every product in a batch result is one that was requested",
    (_body, { fieldNames }, exchange) => {
      const found = productsIn(exchange, fieldNames);
      if (found.length === 0) return undefined;
      const sent = itemsSent(exchange);
      return found.flatMap(({ path, product }) =>
        sent.some((item) => canBeOf(product, item)) ? [] : [itemNotSent(path, product)],
      );
    },
  ],
  "batch.summary/every-batch": [
    "The counters of every batch result agree with each other and with its arrays",
    (body, { fieldNames: { batchFoundField } }, exchange) => {
      const sent = itemsSent(exchange).map((item) => itemName(item) ?? JSON.stringify(item));
      return countersDisagree(body, batchFoundField, sent);
    },
  ],
  "batch.summary/every-item": [
    "Every batch result accounts for each item as often as it was sent, and counts them in its total; equal ones may count once",
    (body, facts, exchange) => {
      const sent = itemsIn(exchange.request.body ?? "");
      const named = sent.flatMap((item) => (isObject(item) ? (itemName(item) ?? []) : []));
      const listed = listedItems(body, exchange, facts);
      // A malformed item may be counted in any way.
      if (listed === undefined || sent.length === 0 || named.length < sent.length) return undefined;
      return [...wrongTotal(countersOf(exchange).total, named), ...miscountedItems(named, listed)];
    },
  ],
});

const names = ["retailer", "product_id"] as const;

function eachBatch(
  judge: (
    body: Record<string, unknown>,
    facts: RuleFacts,
    exchange: Exchange,
  ) => readonly Finding[] | undefined,
): Rule["judge"] {
  return (exchange, facts) => {
    const { endpoint, response } = exchange;
    if (endpoint !== "batch" || response.status !== 200 || !isObject(response.json)) return undefined;
    return judge(response.json, facts, exchange);
  };
}

function echoes(entry: Record<string, unknown>, item: Record<string, unknown>): boolean {
  // A field that was not sent cannot be echoed: the entry may omit it or hold null or an empty string.
  return names.every((name) => (item[name] === undefined ? !entry[name] : entry[name] === item[name]));
}

/** The items that are found or under errors; undefined when some cannot be told. */
function listedItems(
  body: Record<string, unknown>,
  exchange: Exchange,
  { fieldNames }: RuleFacts,
): PlacedEntry[] | undefined {
  const list = fieldNames.batchFoundField === undefined ? undefined : body[fieldNames.batchFoundField];
  if (!Array.isArray(list) || !Array.isArray(body.errors)) return undefined;
  const found = productsIn(exchange, fieldNames).map(({ path, product }) => ({ path, entry: product }));
  const all = [...found, ...entriesOf(body, "errors")];
  const areAllNamed = all.every(({ entry }) => itemName(entry) !== undefined);
  return areAllNamed && all.length === list.length + body.errors.length ? all : undefined;
}
