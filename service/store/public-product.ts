const text = { type: "string" } as const;

/**
 * A product as it leaves the house, and the external allow-list (spec, What the service does): what is not here
 * never does. In the order in which the fields are written.
 */
export const productSchema = {
  type: "object",
  properties: {
    retailer: text,
    retailer_name: text,
    product_id: text,
    title: text,
    brand: text,
    description: text,
    category: text,
    price: { type: "number" },
    currency: text,
    availability: text,
    product_url: text,
    images: { type: "array", items: text },
    gtin: text,
    mpn: text,
    color: text,
    size: text,
    last_updated: text,
  },
} as const;

export type AllowedField = Exclude<keyof typeof productSchema.properties, "retailer" | "retailer_name">;

/** The allow-list without what every product of a retailer begins with. */
export const allowedFields = Object.keys(productSchema.properties).slice(2) as AllowedField[];

/** What a retailer provided of a product. */
export type PublicProduct = { readonly product_id: string } & {
  readonly [F in Exclude<AllowedField, "product_id">]?: unknown;
};

/**
 * JSON of the allow-listed fields that have a value: null, empty strings and empty lists are left out
 * (spec, "omitted ... never returned as null or as an empty string").
 */
export function publicText(product: PublicProduct): string {
  const kept: Partial<Record<AllowedField, unknown>> = {};
  for (const name of allowedFields) {
    const value = product[name];
    if (!isEmpty(value)) kept[name] = value;
  }
  return JSON.stringify(kept);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return Array.isArray(value) && value.length === 0;
}

/** The beginning of every product of a retailer, up to the stored fields. */
export function productOpening(slug: string, name: string): Buffer {
  return Buffer.from(`{"retailer":${JSON.stringify(slug)},"retailer_name":${JSON.stringify(name)},`);
}
