/**
 * The external allow-list (spec, What the service does): nothing else of a product ever leaves the house.
 * In the order in which the fields are written; `retailer` and `retailer_name` come before them.
 */
export const allowedFields = [
  "product_id",
  "title",
  "brand",
  "description",
  "category",
  "price",
  "currency",
  "availability",
  "product_url",
  "images",
  "gtin",
  "mpn",
  "color",
  "size",
  "last_updated",
] as const;

export type AllowedField = (typeof allowedFields)[number];

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
