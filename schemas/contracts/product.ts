import { filled, nullable, number, object, partial, type Static, string } from "./schema.ts";

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
 * Spec, Product. Any field may be missing. Null is judged with other values that stand for none, so it is
 * allowed here. Other fields are the target's own.
 */
export const product = partial(productFields);
export type Product = Static<typeof product>;

export const fieldNames = object(
  {
    "batchRequestField?": string(
      "Name of the field of the batch request that carries the items; an empty string when the body is the list itself.",
    ),
    "batchFoundField?": filled("Name of the list of found products in a batch result."),
    "batchFoundProduct?": string(
      "Where a product sits in an entry of the found list; an empty string when the entry is the product itself.",
    ),
    "gtin?": filled(
      "Where a product carries its GTIN, as a dotted path; `[]` stands for any element of a list: `gtin`, `identifiers.gtin`, `identifiers[].value`.",
    ),
  },
  'Names that the spec leaves open ("not shown"): discovered by requests or set in the config, recorded, never judged.',
);
export type FieldNames = Static<typeof fieldNames>;
