import type { Results } from "../../../schemas/contracts/results.ts";
import { excerptOf } from "../../../schemas/excerpt.ts";
import { exampleCheck } from "./example.ts";
import { sampleExchange, sampleFinding, sampleResults } from "./sample.ts";
import { twelveFailures } from "./twelve.ts";

/** A failing gate with everything that its page shows in a way of its own. */
export function pageRun(): Results {
  const pageWithGaps = sampleFinding(
    {
      id: "page.no-placeholders",
      section: "Paging",
      statement: "A product that the organization may not see is left out.",
    },
    {
      title: "Each page of a category",
      attempts: { failed: 2, total: 5 },
      findings: [
        {
          code: "empty-products",
          exchange: 0,
          path: "/products/1",
          actual: {},
          details: { empty: 2, products: 20 },
          seen: { count: 12, total: 258, of: "responses" },
          byRetailer: [{ retailer: "acme", count: 12, total: 120 }],
        },
      ],
      evidence: [
        sampleExchange({
          status: 200,
          cut: { shown: 40, of: 9000 },
          excerpts: [
            excerptOf({ products: [{ title: "Lamp" }, {}], meta: {} }, "/products/1", (text) => text),
          ],
        }),
      ],
    },
  );
  const linked = exampleCheck({
    id: "page.no-placeholders/again",
    title: "The same page again",
    verdict: "fail",
    says: "Another failure of it is waived: `errors.waived`.",
  });
  const ofTwelve = twelveFailures().requirements.filter(({ id }) => id === "product.same-shape");
  return sampleResults({
    requirements: [
      ...sampleResults().requirements,
      { ...pageWithGaps, checks: [...pageWithGaps.checks, linked] },
      ...ofTwelve,
    ],
    load: sampleResults().load.filter(({ verdict }) => verdict === "fail"),
  });
}
