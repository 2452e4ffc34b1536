import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that answers every lookup with the same product, but for its identity, at the least cost. */
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

/** With `changing`, no two answers are alike, as when each carries the time. */
export async function startConstantServer(changing: boolean): Promise<ConstantServer> {
  let count = 0;
  const server = createServer((request, response) => {
    const [, , , retailer = "", productId = ""] = (request.url ?? "").split("/");
    count += 1;
    const stamp = changing ? `"last_updated":"2026-01-01T00:00:00.${count}Z",` : "";
    const body = request.url?.endsWith("/retailers")
      ? '{"retailers":[]}'
      : `{"retailer":${JSON.stringify(decodeURIComponent(retailer))},"product_id":${JSON.stringify(decodeURIComponent(productId))},${stamp}${rest}`;
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
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
