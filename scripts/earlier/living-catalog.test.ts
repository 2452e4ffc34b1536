import { expect, test } from "vitest";
import { changesOf } from "../../proof/table.ts";
import { type ServiceOptions, startService } from "../../service/start.ts";
import { stubTarget } from "../../test/support/stub-client.ts";
import { discoverTarget } from "../runs/stages/conformance-stage.ts";
import { type Contract, differencesBetween } from "./contract.ts";

/** The contract that discovery finds on a reference service. */
async function contractWith(options: ServiceOptions): Promise<Contract> {
  const { baseUrl, keys, categories, stop } = await startService({ rate: 1000, burst: 1000, ...options });
  const target = stubTarget(baseUrl, { keys, categories, timeoutMilliseconds: 10_000 });
  const { signal } = new AbortController();
  try {
    const { discovered } = await discoverTarget({ target, maxRequests: 500, signal });
    return { discovered, load: [], target: { keyFingerprint: "none" } };
  } finally {
    await stop();
  }
}

const recorded = contractWith({});
recorded.catch(() => undefined);

async function differences(options: ServiceOptions) {
  return differencesBetween(await recorded, await contractWith(options));
}

async function breaking(options: ServiceOptions): Promise<string[]> {
  return (await differences(options)).flatMap((one) => (one.breaking ? [one.name] : []));
}

test("the same service has no difference", async () => {
  expect(await differences({})).toEqual([]);
});

// The cases closest to a false alarm among seeds 2 to 9, 100 to 1,000 products and all variants.
test.each<[string, ServiceOptions]>([
  ["other products", { seed: 6 }],
  ["a quarter of the products", { products: 100 }],
  ["small pages, so fewer products met", changesOf({ variants: ["small-pages"] })],
  [
    "prices and domains that change, an upstream that fails at times",
    changesOf({ variants: ["prices-change-always", "domains-change-always", "flaky-upstream"] }),
  ],
])("a changing catalog breaks nothing: %s", async (_name, options) => {
  expect(await breaking(options)).toEqual([]);
});

test.each([
  ["batch-found-named-found", "name-changed/batchFoundField"],
  ["no-product-url", "field-gone/product_url"],
])("a renamed or vanished part breaks: %s", async (variant, name) =>
  expect(await breaking(changesOf({ variants: [variant] }))).toContain(name),
);
