import { generateCatalog } from "../../../service/catalog/generate.ts";
import { generatedRetailers } from "../../../service/catalog/generator-data.ts";
import type { ProductLine } from "../../../service/catalog/product-rows.ts";

/** GET of a path below /v1, as bytes. */
export function getRequest(path: string, key: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\nX-Api-Key: ${key}\r\n\r\n`);
}

export function identifierRequest({ retailer, product_id }: ProductLine, key: string): Buffer {
  return getRequest(`/v1/products/${encodeURIComponent(retailer)}/${encodeURIComponent(product_id)}`, key);
}

export function gtinRequest({ gtin, retailer }: ProductLine, key: string): Buffer {
  const query = new URLSearchParams({ gtin: String(gtin), retailer });
  return getRequest(`/v1/products?${query}`, key);
}

export function batchRequest(products: readonly ProductLine[], key: string): Buffer {
  const items = products.map(({ retailer, product_id }) => ({ retailer, product_id }));
  const body = Buffer.from(JSON.stringify({ items }));
  const head = [
    "POST /v1/products/batch-lookup HTTP/1.1",
    "Host: bench",
    `X-Api-Key: ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

const usable = new Set<string>(
  generatedRetailers.filter(({ audience }) => audience !== "second").map(({ slug }) => slug),
);

/** Products of a generated catalog that the first organization may use, spread evenly over all of it. */
export function sampleCatalog(products: number, seed: number, size: number): ProductLine[] {
  const step = Math.max(1, Math.floor(products / size / 2));
  const sample: ProductLine[] = [];
  let number = 0;
  for (const line of generateCatalog(products, seed)) {
    if (line.kind !== "product" || number++ % step !== 0) continue;
    if (usable.has(line.retailer) && !/^\.+$/.test(line.product_id)) sample.push(line);
  }
  return sample;
}
