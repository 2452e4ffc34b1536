import { named, nullable, number, partial, type Static, string } from "./schema.ts";

const text = nullable(string());

/** The fields that the spec names. */
export const productFields = {
  retailer: text,
  retailer_name: text,
  product_id: text,
  title: text,
  price: nullable(number()),
  currency: text,
  availability: text,
  product_url: text,
  last_updated: text,
};

/**
 * Spec, Product. Any field may be missing; null is judged with other values that stand for none, so it is allowed here. Fields
 * that the spec does not name are the target's own.
 */
export const product = named("Product", partial(productFields));
export type Product = Static<typeof product>;
