import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { errorCodes } from "../../schemas/api.ts";

/**
 * Returns the same product, but for its ids, for every lookup at minimal cost; fifty of them on each page,
 * and what a batch asks for. Lookups that must be refused get their error: evidence of invalid responses
 * costs memory, as a healthy target does not.
 */
export interface ConstantServer {
  readonly baseUrl: string;
  requests(): number;
  stop(): Promise<void>;
}

const rest = JSON.stringify({
  retailer_name: "North Market",
  title: "Stainless steel water bottle, 750 ml, vacuum insulated",
  price: 24.95,
  currency: "EUR",
  availability: "in_stock",
  product_url: "https://www.north-market.example/dp/B00ABC1234?ref=catalog",
  brand: "Aqua",
  description:
    "Keeps drinks cold for 24 hours and hot for 12 hours; leak-proof lid, dishwasher safe, BPA free.",
  identifiers: { gtin: "04006381333931", mpn: "AQ-750" },
  images: [
    { url: "https://img.north-market.example/1.jpg", width: 800, height: 600 },
    { url: "https://img.north-market.example/2.jpg", width: 800, height: 600 },
  ],
}).slice(1);

const { unknownRetailer, unknownProductId, unentitledRetailer = "" } = sampleFixtures(0);

const errorStatuses: Readonly<Record<string, keyof typeof errorCodes>> = {
  [unknownRetailer]: 400,
  [unentitledRetailer]: 403,
  [unknownProductId]: 404,
};

type ProductOf = (retailer: string, productId: string) => string;

/** Products on a page, and pages of a category. */
const pageSize = 50;
export const pagesOfWalk = 10;

function pageOf(place: number, productOf: ProductOf): string {
  const products = Array.from({ length: pageSize }, (_, at) =>
    productOf("retailer-0", `${place * pageSize + at}`),
  );
  const next = place + 1 < pagesOfWalk ? String(place + 1) : "";
  return `{"products":[${products}],"meta":{"next_cursor":"${next}","count":${pageSize}}}`;
}

function batchOf(request: string, productOf: ProductOf): string {
  const { items } = JSON.parse(request) as { items: { retailer: string; product_id: string }[] };
  const known = items.filter((item) => item.product_id !== unknownProductId);
  const found = known.map((item) => productOf(item.retailer, item.product_id));
  const errors = items.filter((item) => !known.includes(item));
  const meta = { total: items.length, found: found.length, not_found: errors.length, other_errors: 0 };
  return `{"found":[${found}],"errors":${JSON.stringify(errors)},"meta":${JSON.stringify(meta)}}`;
}

/**
 * With `changing`, no two responses are the same, as if each contained the time.
 */
export async function startConstantServer(changing: boolean): Promise<ConstantServer> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    const stamp = changing ? `"last_updated":"2026-01-01T00:00:00.${count}Z",` : "";
    const productOf: ProductOf = (retailer, productId) =>
      `{"retailer":${JSON.stringify(retailer)},"product_id":${JSON.stringify(productId)},${stamp}${rest}`;
    const send = (body: string, status = 200) => {
      const length = Buffer.byteLength(body);
      response.writeHead(status, { "content-type": "application/json", "content-length": length });
      response.end(body);
    };
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    if (pathname === "/v1/retailers") return send('{"retailers":[{"slug":"retailer-0","domains":[]}]}');
    if (pathname === "/v1/products/batch-lookup") {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      request.on("end", () => send(batchOf(text, productOf)));
      return;
    }
    if (searchParams.has("category")) return send(pageOf(Number(searchParams.get("cursor")), productOf));
    const [, , , retailer = "", productId = ""] = pathname.split("/").map(decodeURIComponent);
    const status = errorStatuses[retailer] ?? errorStatuses[productId] ?? 200;
    if (status === 200) send(productOf(retailer, productId));
    else send(JSON.stringify({ error: { code: errorCodes[status], message: "refused" } }), status);
  });
  server.listen({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: () => count,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
