import { itemNotSent } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { itemsSent } from "../response/batch-result.ts";
import { actual } from "../response/body-findings.ts";
import { productsIn } from "../response/products-in.ts";
import type { Rule } from "./rule.ts";

/** Rules that compare every product with the request. A field that the product lacks is not compared. */
export const requestedProductRules: readonly Rule[] = [
  {
    id: "by-id.product/every-response",
    title: "Every lookup by id returns the product with that retailer and id",
    exercisedBy: "lookup-by-id",
    judge(exchange, { fieldNames, entitled, retailerNames }) {
      if (exchange.endpoint !== "lookup-by-id") return undefined;
      const [found] = productsIn(exchange, fieldNames);
      if (found === undefined) return undefined;
      const segments = segmentsOf(exchange).map(decodeURIComponent);
      const [retailer, productId] = segments.slice(-2) as [string, string];
      // A display name in place of the slug is judged by product.retailer.
      const seen = String(found.product.retailer);
      const named = retailerNames.has(seen) && entitled(exchange.caller)?.has(seen) !== true;
      const asked = { retailer, productId };
      return [
        ...(named ? [] : differs("retailer", found.product, retailer, asked)),
        // A service may ignore the case of ids. The checks compare known products with the id as it was shown.
        ...(inOneCase(found.product.product_id) === inOneCase(productId)
          ? []
          : differs("product_id", found.product, productId, asked)),
      ];
    },
  },
  {
    id: "batch.lookup/every-batch",
    title: "Every product in a batch result is one that was requested",
    exercisedBy: "batch",
    judge(exchange, { fieldNames }) {
      if (exchange.endpoint !== "batch") return undefined;
      const found = productsIn(exchange, fieldNames);
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
        .map(({ path, product }) => itemNotSent(path, product));
    },
  },
];

function segmentsOf({ request }: Exchange): string[] {
  return request.url.replace(/[?#].*/, "").split("/");
}

function differs(
  name: "retailer" | "product_id",
  product: Product,
  asked: string,
  wanted: NonNullable<Finding["product"]>,
): Finding[] {
  const value = product[name];
  if (agrees(value, asked)) return [];
  return [{ code: "other-product", path: pointer(name), expected: asked, ...actual(value), product: wanted }];
}

function inOneCase(id: unknown): unknown {
  return typeof id === "string" ? id.toLowerCase() : id;
}

// Missing and null fields are judged by other rules.
function agrees(value: unknown, asked: unknown): boolean {
  return value === undefined || value === null || value === "" || value === asked;
}
