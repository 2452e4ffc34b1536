import { named, nullable, number, openObject, optional, type Static, string } from "./schema.ts";

/** The fields that the spec names. */
export const productFields = {
  retailer: optional(nullable(string())),
  retailer_name: optional(nullable(string())),
  product_id: optional(nullable(string())),
  title: optional(nullable(string())),
  price: optional(nullable(number())),
  currency: optional(nullable(string())),
  availability: optional(nullable(string())),
  product_url: optional(nullable(string())),
  last_updated: optional(nullable(string())),
};

export const product = named(
  "Product",
  openObject(
    productFields,
    "Spec, Product. Any field may be missing; null is judged with other values that stand for none, so it is allowed here. Fields that the spec does not name are the target's own.",
  ),
);
export type Product = Static<typeof product>;
