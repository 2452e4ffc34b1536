import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sampleFixtures } from "../../../scenarios/lib/sample-fixtures.ts";
import { errorCodes } from "../../../schemas/api.ts";

/**
 * A server that returns the same product for every lookup, except for its ids, at minimal cost. Lookups that must be
 * refused get their error: evidence of invalid responses would cost memory, which a healthy target does not cause.
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
  product_url: "https://www.north-market.example/dp/B00ABC1234?ref=catalogue",
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

/**
 * With `changing`, no two responses are the same, as if each contained the time.
 * @param port Default: a free one. Several processes may share it.
 */
export async function startConstantServer(changing: boolean, port = 0): Promise<ConstantServer> {
  let count = 0;
  const server = createServer((request, response) => {
    const [, , , retailer = "", productId = ""] = (request.url ?? "").split("/").map(decodeURIComponent);
    count += 1;
    const status = errorStatuses[retailer] ?? errorStatuses[productId] ?? 200;
    const stamp = changing ? `"last_updated":"2026-01-01T00:00:00.${count}Z",` : "";
    const body = request.url?.endsWith("/retailers")
      ? '{"retailers":[]}'
      : status === 200
        ? `{"retailer":${JSON.stringify(retailer)},"product_id":${JSON.stringify(productId)},${stamp}${rest}`
        : JSON.stringify({ error: { code: errorCodes[status], message: "refused" } });
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen({ port, host: "127.0.0.1", reusePort: true });
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
