import { productSchema } from "../store/public-product.ts";

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;

const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: { type: "object", required: ["code", "message"], properties: { code: text, message: text } },
  },
} as const;

const retailersSchema = {
  type: "object",
  required: ["retailers"],
  properties: {
    retailers: {
      type: "array",
      items: {
        type: "object",
        required: ["slug", "name", "domains"],
        properties: { slug: text, name: text, domains: { type: "array", items: text } },
      },
    },
  },
} as const;

const listSchema = {
  type: "object",
  required: ["products", "meta"],
  properties: {
    products: { type: "array", items: productSchema },
    meta: {
      type: "object",
      required: ["next_cursor", "count"],
      properties: { next_cursor: text, count: integer },
    },
  },
} as const;

const batchSchema = {
  type: "object",
  required: ["products", "errors", "meta"],
  properties: {
    products: { type: "array", items: productSchema },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["retailer", "product_id", "code", "message"],
        properties: { retailer: text, product_id: text, code: text, message: text },
      },
    },
    meta: {
      type: "object",
      required: ["total", "found", "not_found", "other_errors"],
      properties: { total: integer, found: integer, not_found: integer, other_errors: integer },
    },
  },
} as const;

/**
 * What Fastify serializes the answers of an endpoint by. Those with products arrive as JSON already, whose products were
 * cut to `productSchema` when they were stored: response-schemas.test.ts sees to it that the schema would write the same.
 */
export const responseSchemas = {
  retailers: answers(retailersSchema),
  product: answers(productSchema),
  products: answers({ anyOf: [listSchema, productSchema] }),
  batch: answers(batchSchema),
} as const;

function answers<S>(schema: S) {
  return { 200: schema, "4xx": errorSchema, "5xx": errorSchema };
}
