const text = { type: "string" } as const;

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

/** Every answer but a product, which is JSON text since it was written (store/public-product.ts). */
export const responseSchemas = {
  retailers: { 200: retailersSchema, "4xx": errorSchema, "5xx": errorSchema },
  others: { "4xx": errorSchema, "5xx": errorSchema },
} as const;
