import { countersDisagree, itemNotSent } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { countersOf, itemsSent } from "../response/batch-result.ts";
import { unlessCount, unlessType } from "../response/body-findings.ts";
import type { Rule, RuleFacts } from "./rule.ts";

const counterNames = ["total", "found", "not_found", "other_errors"] as const;

/** Rules for every batch result. */
export const batchResponseRules: readonly Rule[] = [
  {
    id: "batch-result.found/every-batch",
    title: "Every batch result has an array of found products",
    exercisedBy: "batch",
    judge: eachBatch((body, { fieldNames: { batchFoundField: field } }, exchange) => {
      if (field !== undefined) return unlessType(body, pointer(field), "array");
      const lists = Object.entries(body).filter(([name, value]) => name !== "errors" && Array.isArray(value));
      if (lists.length === 0) return [{ code: "no-found-list", path: "" }];
      const objects = lists.some(([, value]) => Array.isArray(value) && value.some(isObject));
      const expected = Number(countersOf(exchange).found);
      return objects || !(expected > 0) ? [] : [{ code: "no-found-list", path: "", expected }];
    }),
  },
  {
    id: "batch-result.errors/every-batch",
    title: "Every batch result has an array under errors",
    exercisedBy: "batch",
    judge: eachBatch((body) => unlessType(body, "/errors", "array")),
  },
  {
    id: "batch-result.counters/every-batch",
    title: "Every batch result has the four counters as whole numbers",
    exercisedBy: "batch",
    judge: eachBatch((body) => counterNames.flatMap((name) => unlessCount(body, pointer("meta", name)))),
  },
  {
    id: "batch-result.echo/every-batch",
    title: "Every entry under errors echoes the retailer and product_id of an item that was sent",
    exercisedBy: "batch",
    judge: eachBatch((body, _facts, exchange) => {
      if (!Array.isArray(body.errors)) return [];
      const sent = itemsSent(exchange);
      return body.errors.flatMap((entry: unknown, index) =>
        isObject(entry) && !sent.some((item) => echoes(entry, item))
          ? [itemNotSent(pointer("errors", index), entry)]
          : [],
      );
    }),
  },
  {
    id: "batch.summary/every-batch",
    title: "The counters of every batch result agree with each other and with its arrays",
    exercisedBy: "batch",
    judge: eachBatch((body, { fieldNames: { batchFoundField } }, exchange) => {
      // An item that was sent twice may be listed once or twice.
      return countersDisagree(body, batchFoundField, !hasDuplicates(itemsSent(exchange)));
    }),
  },
];

function eachBatch(
  judge: (body: Record<string, unknown>, facts: RuleFacts, exchange: Exchange) => readonly Finding[],
): Rule["judge"] {
  return (exchange, facts) => {
    const { endpoint, response } = exchange;
    if (endpoint !== "batch" || response.status !== 200 || !isObject(response.json)) return undefined;
    return judge(response.json, facts, exchange);
  };
}

function echoes(entry: Record<string, unknown>, item: Record<string, unknown>): boolean {
  // A field that was not sent cannot be echoed: the entry may omit it or hold null or an empty string.
  return (["retailer", "product_id"] as const).every((name) =>
    item[name] === undefined ? !entry[name] : entry[name] === item[name],
  );
}

function hasDuplicates(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item))).size < items.length;
}
