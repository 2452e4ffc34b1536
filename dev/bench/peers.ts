import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { pagesOfWalk } from "./constant-server.ts";

/** What each peer sends: the same lookups, pages or batches. It reads nothing of the responses. */
const requests = {
  bare: `
  http.get(__ENV.SHELFCHECK_BASE_URL + ids[exec.scenario.iterationInTest % ids.length], params);`,
  "bare-pages": `
  for (let page = 0; page < ${pagesOfWalk}; page++)
    http.get(__ENV.SHELFCHECK_BASE_URL + "/products?category=shoes" + (page === 0 ? "" : "&cursor=" + page), params);`,
  "bare-batches": `
  const at = exec.scenario.iterationInTest, size = 1 + (at * 31) % 50, items = [];
  for (let i = 0; i < size; i++) items.push(products[(at + i) % products.length]);
  if (at % 5 === 0) items[size - 1] = '{"retailer":"retailer-0","product_id":"no-such-product"}';
  http.post(__ENV.SHELFCHECK_BASE_URL + "/products/batch-lookup", '{"items":[' + items.join(",") + "]}", params);`,
} as const;
type K6Peer = keyof typeof requests;

const script = (peer: K6Peer) => `
import http from "k6/http";
import { SharedArray } from "k6/data";
import exec from "k6/execution";
const ids = new SharedArray("ids", () =>
  JSON.parse(open(__ENV.SHELFCHECK_FIXTURES)).products.map((p) =>
    "/products/" + encodeURIComponent(p.retailer) + "/" + encodeURIComponent(p.product_id)));
const rate = Number(__ENV.RATE);
export const options = { summaryMode: "disabled", scenarios: { peer: { executor: "ramping-arrival-rate", startRate: rate,
  stages: [{ target: rate, duration: __ENV.SECONDS + "s" }], preAllocatedVUs: Number(__ENV.USERS) } } };
const params = { headers: { Authorization: "Bearer " + __ENV.SHELFCHECK_API_KEY, Accept: "application/json" }, tags: { name: "lookup" } };
${peer === "bare-batches" ? "const products = JSON.parse(open(__ENV.SHELFCHECK_FIXTURES)).products.map((p) => JSON.stringify(p));" : ""}
export default function () {${requests[peer]}
}
`;

/** Writes a k6 peer as one file and returns its path. */
export async function writeK6Peer(peer: K6Peer, folder: string): Promise<string> {
  const source = join(folder, `${peer}-source.js`);
  const outfile = join(folder, `${peer}.js`);
  await writeFile(source, script(peer));
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    nodePaths: [join(import.meta.dirname, "../../node_modules")],
    external: ["k6", "k6/*"],
    logLevel: "silent",
  });
  return outfile;
}
