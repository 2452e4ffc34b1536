import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRedaction } from "../../schemas/redaction.ts";
import { type Bench, type BenchIo, held } from "./bench.ts";

const megabytes = 10;
const rounds = 3;
const mostMilliseconds = 300;
const keys = [
  "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0",
  "sk_live_9fD40JrMzkXEbsktU2aeQ8edYx1",
  "catalog-staging-1",
];
const product = JSON.stringify({
  id: "prod_8271HJ",
  name: 'Catalog lamp, 20% "warm" white & dim',
  image_url: "https://images.example.com/catalog/8271%20hj.jpg?size=large&format=webp",
  gtin: "04006381333931",
  wholesale_price: { amount: 12.5, currency: "EUR" },
  updated_at: "2026-01-12T08:15:30.000Z",
});

const bodies = {
  "products, no key": product,
  "the same as a string of JSON": JSON.stringify(product).slice(1, -1),
  "a key in every product": `${product}${keys[0]}`,
  "letters beyond ASCII": "Überwurfmütze für große Bäume, 日本語の商品名 ",
  "%25%25…": "%25",
  "&amp;amp;…": "&amp;amp;",
};

/** CPU time in which the keys of a run are searched for in bodies of 10 MB, the best of three. */
export const redactionBench: Bench = {
  summary: "CPU time in which keys are searched for in a body of 10 MB",
  takesBeside: true,
  run: benchRedaction,
};

async function benchRedaction({ stdout, beside }: BenchIo): Promise<number> {
  const other: unknown = beside && (await import(pathToFileURL(join(beside, "schemas/redaction.ts")).href));
  const [before] = [other as { createRedaction: typeof createRedaction } | undefined];
  const best: Record<string, number> = {};
  for (const [name, part] of Object.entries(bodies)) {
    const body = part.repeat(Math.ceil((megabytes * 1e6) / part.length));
    const times = [before?.createRedaction, createRedaction].map((create) => create && timeOf(create, body));
    best[name] = times[1] ?? 0;
    const shown = times.map((time) => `${time?.toFixed(0) ?? "–"} ms`.padStart(8));
    stdout.write(`${name.padEnd(30)} ${shown.join(", here ")}\n`);
  }
  const limit = `products within ${mostMilliseconds} ms`;
  return held(stdout, limit, (best["products, no key"] ?? 0) <= mostMilliseconds) ? 0 : 1;
}

function timeOf(create: typeof createRedaction, body: string): number {
  const secrets = keys.map((key) => ({ key, shownAs: "$SHELFCHECK_API_KEY" }));
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const { redact } = create(secrets);
    const before = process.cpuUsage();
    redact(body);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
