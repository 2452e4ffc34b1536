import { expect, test } from "vitest";
import { startService } from "../../service/start.ts";
import { proveTarget } from "./prove.ts";
import { type Trial, tryVariation, type Variation } from "./trial.ts";

// A sample of `npm run proof`, which tries every fault and variant on several seeds.
const sample: readonly (readonly [Variation["kind"], string])[] = [
  ["fault", "null-field-on-second-page"],
  ["fault", "gtin-other-retailer"],
  ["fault", "cursor-repeats-item"],
  ["fault", "batch-error-lacks-product-id"],
  ["fault", "invalid-key-403"],
  ["fault", "retry-after-missing"],
  ["fault", "price-string"],
  ["fault", "second-key-sees-less"],
  ["variant", "batch-found-wrapped"],
  ["variant", "first-page-empty"],
  ["variant", "cursors-of-odd-characters"],
  ["honest", "honest"],
];

test.concurrent.each(sample)("%s %s", async (kind, name) => {
  const { signal } = new AbortController();
  const trial = await tryVariation({ kind, name, seed: 4 }, signal);
  expect(trial).toMatchObject({
    findings: [],
    verdict: kind === "fault" ? "caught" : "clean",
  });
});

test("the proxy puts the same faults on any service, and what shows nowhere proves nothing", async () => {
  const service = await startService({ products: 120, rate: 20, burst: 350 });
  const { baseUrl, keys, categories } = service;
  const target = { name: "test", baseUrl, keys, categories, dialect: {}, timeoutMilliseconds: 5000 };
  const trials: Trial[] = [];
  const names = ["price-string", "gtin-mismatch-400", "second-key-lists-less", "count-off-by-one"];
  const { signal } = new AbortController();
  try {
    await proveTarget(names, { target, maxRequests: 3000, signal, done: (trial) => trials.push(trial) });
  } finally {
    await service.stop();
  }
  expect(trials.map(({ name, verdict, findings }) => ({ name, verdict, findings }))).toEqual(
    names.map((name) => ({ name, verdict: "caught", findings: [] })),
  );
});
