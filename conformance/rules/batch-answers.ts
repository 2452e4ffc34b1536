import type { Exchange } from "../client/exchange.ts";
import { countersOf, entriesUnderErrors, itemsSent } from "../response/batch-answer.ts";
import { isObject } from "../response/products-in.ts";
import type { Rule, RuleFacts } from "./rule.ts";
import { shown } from "./shown.ts";

const unmet = {
  kind: "inconclusive",
  fix: "No batch succeeded: name its fields in the config (targets.<name>.dialect), or give a category with products.",
} as const;

const counterNames = ["total", "found", "not_found", "other_errors"] as const;

/** Rules on every batch result. */
export const batchAnswerRules: readonly Rule[] = [
  {
    id: "batch-result.found/every-batch",
    requirement: "batch-result.found",
    title: "Every batch result has the list of found products",
    unmet,
    judge: eachBatch((body, { dialect: { batchFoundField: field } }, exchange) => {
      if (field !== undefined) return Array.isArray(body[field]) ? [] : [`${field} is ${shown(body[field])}`];
      const lists = Object.entries(body).filter(([name, value]) => name !== "errors" && Array.isArray(value));
      if (lists.length === 0) return ["there is no list of found products"];
      const objects = lists.some(([, value]) => Array.isArray(value) && value.some(isObject));
      return objects || !(Number(countersOf(exchange).found) > 0)
        ? []
        : ["products are found, and no list holds one"];
    }),
  },
  {
    id: "batch-result.errors/every-batch",
    requirement: "batch-result.errors",
    title: "Every batch result has a list under errors",
    unmet,
    judge: eachBatch(({ errors }) => (Array.isArray(errors) ? [] : [`errors is ${shown(errors)}`])),
  },
  {
    id: "batch-result.counters/every-batch",
    requirement: "batch-result.counters",
    title: "Every batch result has the four counters, whole numbers",
    unmet,
    judge: eachBatch((_body, _facts, exchange) => {
      const counters = countersOf(exchange);
      return counterNames
        .filter((name) => !Number.isInteger(counters[name]) || Number(counters[name]) < 0)
        .map((name) => `meta.${name} is ${shown(counters[name])}`);
    }),
  },
  {
    id: "batch-result.echo/every-batch",
    requirement: "batch-result.echo",
    title: "Every entry under errors echoes the retailer and product_id of an item that was sent",
    unmet,
    judge: eachBatch((_body, _facts, exchange) =>
      entriesUnderErrors(exchange).flatMap((entry, index) => breachesOfEcho(entry, index, exchange)),
    ),
  },
  {
    id: "batch.summary/every-batch",
    requirement: "batch.summary",
    title: "The counters of every batch result agree with each other and with its lists",
    unmet,
    judge: eachBatch((body, { dialect: { batchFoundField } }, exchange) => {
      const { total, found, not_found: notFound, other_errors: other } = countersOf(exchange);
      const numbers = [total, found, notFound, other];
      if (!numbers.every((value) => typeof value === "number")) return [];
      const [all, hits, misses, others] = numbers as [number, number, number, number];
      const list = batchFoundField === undefined ? undefined : body[batchFoundField];
      // Whether an item that was sent twice is listed once or twice is not said.
      const distinct = !hasDuplicates(itemsSent(exchange));
      return [
        ...(all === hits + misses + others
          ? []
          : [`total ${all} is not found ${hits} + not_found ${misses} + other_errors ${others}`]),
        ...(!distinct || !Array.isArray(list) || list.length === hits
          ? []
          : [`found is ${hits}, and ${list.length} products are listed`]),
        ...(!distinct || !Array.isArray(body.errors) || body.errors.length === misses + others
          ? []
          : [`not_found ${misses} + other_errors ${others}, and ${body.errors.length} entries under errors`]),
      ];
    }),
  },
];

function eachBatch(
  judge: (body: Record<string, unknown>, facts: RuleFacts, exchange: Exchange) => readonly string[],
): Rule["judge"] {
  return (exchange, facts) => {
    const { endpoint, response } = exchange;
    if (endpoint !== "batch" || response.status !== 200 || !isObject(response.json)) return undefined;
    return judge(response.json, facts, exchange);
  };
}

function breachesOfEcho(entry: Record<string, unknown>, index: number, exchange: Exchange): string[] {
  if (
    itemsSent(exchange).some((item) => echoes(entry, item, "retailer") && echoes(entry, item, "product_id"))
  )
    return [];
  return [
    `errors[${index}] has retailer ${shown(entry.retailer)} and product_id ${shown(entry.product_id)}: no item that was sent`,
  ];
}

// What an item was sent without cannot be echoed: nothing, null and an empty text are then all right.
function echoes(
  entry: Record<string, unknown>,
  item: Record<string, unknown>,
  name: "retailer" | "product_id",
): boolean {
  return item[name] === undefined ? !entry[name] : entry[name] === item[name];
}

function hasDuplicates(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item))).size < items.length;
}
