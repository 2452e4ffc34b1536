import { expect, test } from "vitest";
import { changesOf } from "../../proof/table.ts";
import { type ServiceOptions, startService } from "../../service/start.ts";
import { discoverTarget } from "../runs/stages/conformance-stage.ts";
import type { Contract } from "./drift.ts";
import { contractOf, driftBetween } from "./drift.ts";

/** The contract that discovery finds on a reference service. */
async function contractWith(options: ServiceOptions): Promise<Contract> {
  const { baseUrl, keys, categories, stop } = await startService({ rate: 1000, burst: 1000, ...options });
  const target = { name: "own", baseUrl, keys, categories, fieldNames: {}, timeoutMilliseconds: 10_000 };
  const { signal } = new AbortController();
  try {
    const { discovered } = await discoverTarget({
      target,
      maxRequests: 500,
      signal,
    });
    return contractOf({ discovered, load: [], target: { keyFingerprint: "none" } });
  } finally {
    await stop();
  }
}

const recorded = contractWith({});
recorded.catch(() => undefined);

async function ranks(options: ServiceOptions): Promise<ReadonlySet<string>> {
  return new Set(driftBetween(await recorded, await contractWith(options)).map(({ rank }) => rank));
}

test("the same service has no drift", async () => {
  expect(await ranks({})).toEqual(new Set());
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
])("a changing catalog is no breaking drift: %s", async (_name, options) => {
  expect([...(await ranks(options))]).not.toContain("breaking");
});

test.each(["batch-found-named-found", "batch-request-list", "gtin-named-ean", "no-product-url"])(
  "a renamed or vanished part breaks: %s",
  async (variant) => expect([...(await ranks(changesOf({ variants: [variant] })))]).toContain("breaking"),
);
