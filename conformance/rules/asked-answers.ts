import type { Exchange } from "../client/exchange.ts";
import { itemsSent } from "../response/batch-answer.ts";
import { productsIn } from "../response/products-in.ts";
import type { Rule } from "./rule.ts";
import { shown } from "./shown.ts";

const unmet = {
  kind: "inconclusive",
  fix: "Give a category that has products (--category), so that products can be asked for.",
} as const;

/** Rules that hold every product found against what was asked for. A field that it does not carry says nothing. */
export const askedAnswerRules: readonly Rule[] = [
  {
    id: "by-id.product/every-answer",
    requirement: "by-id.product",
    title: "Every lookup by id gives the product of that retailer and id",
    unmet,
    judge(exchange, { dialect, entitled, retailerNames }) {
      if (exchange.endpoint !== "lookup-by-id") return undefined;
      const [found] = productsIn(exchange, dialect);
      if (found === undefined) return undefined;
      const [retailer = "", productId = ""] = pathOf(exchange).slice(-2).map(decodeURIComponent);
      // A name where the slug belongs is product.retailer's business.
      const seen = String(found.product.retailer);
      const named = retailerNames.has(seen) && entitled(exchange.caller)?.has(seen) !== true;
      return [
        ...(named ? [] : differs("retailer", found.product, retailer)),
        ...differs("product_id", found.product, productId),
      ];
    },
  },
  {
    id: "batch.lookup/every-batch",
    requirement: "batch.lookup",
    title: "Every product in a batch is one that was asked for",
    unmet,
    judge(exchange, { dialect }) {
      if (exchange.endpoint !== "batch") return undefined;
      const found = productsIn(exchange, dialect);
      if (found.length === 0) return undefined;
      const sent = itemsSent(exchange);
      return found
        .filter(
          ({ product }) =>
            !sent.some(
              (item) =>
                agrees(product.retailer, item.retailer) && agrees(product.product_id, item.product_id),
            ),
        )
        .map(
          ({ at, product }) =>
            `${at} is ${shown(product.retailer)} / ${shown(product.product_id)}, which was not sent`,
        );
    },
  },
];

function pathOf({ request }: Exchange): string[] {
  return request.url.replace(/[?#].*$/, "").split("/");
}

function differs(name: "retailer" | "product_id", product: Record<string, unknown>, asked: string): string[] {
  const value = product[name];
  return agrees(value, asked) ? [] : [`asked for ${name} ${shown(asked)}, got ${shown(value)}`];
}

// A missing field, and one that is null where it should be missing, are other rules' business.
function agrees(value: unknown, asked: unknown): boolean {
  return value === undefined || value === null || value === "" || value === asked;
}
