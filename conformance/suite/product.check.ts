import { identityOf } from "../../schemas/accounts.ts";
import type { EndpointId } from "../../schemas/api.ts";
import { given } from "../../schemas/json.ts";
import { leavesOf } from "../../schemas/product-values.ts";
import { type BatchItem, batch, byCategory, byGtin, byUrl, type Request } from "../client/requests.ts";
import { attempt, need, type ProductFixture } from "../discovery/fixtures.ts";
import { failed, type Outcome, together } from "../requirements/outcome.ts";
import { acrossAllRequests, type Check, type CheckContext } from "./check/check.ts";
import { itemOf, lookupOf, sendBatch, variedItems } from "./check/inputs.ts";
import { section } from "./check/rows.ts";
import { differenceFinding, differencesOn, type PathDifference } from "./same-product.ts";

/** Products to look up on the other path, and by id, so that there are pairs to compare. */
const atLeast = 3;
const itemsInBatch = 12;
const mostShown = 3;

interface OtherPath {
  readonly endpoint: EndpointId;
  readonly name: string;
  readonly requests: number;
  /** On this path, of products that are looked up by id too. @throws NotJudged when a fixture is missing */
  readonly some: (context: CheckContext) => readonly (readonly [Request, ProductFixture])[];
}

const otherPaths: Readonly<Record<string, OtherPath>> = {
  url: {
    endpoint: "lookup-by-url",
    name: "found by URL",
    requests: 2 * (1 + atLeast),
    some({ fixtures }) {
      const known = need(fixtures.productByUrl);
      const others = fixtures.products.filter(({ url }) => url !== undefined);
      return [known, ...richest(others)].map((one) => [byUrl(one.url ?? known.url), one]);
    },
  },
  gtin: {
    endpoint: "lookup-by-gtin",
    name: "found by GTIN",
    requests: 2 * atLeast,
    some: ({ fixtures }) =>
      richest(need(fixtures.productsByGtin)).map((one) => [byGtin(one.gtin, one.retailer), one]),
  },
  category: {
    endpoint: "category-page",
    name: "on a category page",
    requests: 2,
    some({ fixtures }) {
      const { category, products } = need(fixtures.category);
      return [[byCategory(category), products[0] ?? need(fixtures.product)]];
    },
  },
  batch: {
    endpoint: "batch",
    name: "in a batch",
    requests: 2,
    some(context) {
      const names = need(context.fixtures.batch);
      return [[batch(variedItems(context, itemsInBatch), names), need(context.fixtures.product)]];
    },
  },
};

/**
 * Spec, Product: "Every lookup path returns the same Product shape." What the run got of a product on two
 * paths is compared. Types and values: rules/product-responses.ts.
 */
export default section(
  "product",
  [
    ...Object.entries(otherPaths).flatMap(([ending, path]): Check[] => [
      {
        id: `product.same-shape/by-${ending}`,
        title: `A product ${path.name} has the same fields as by id, and its price in the same unit`,
        requests: path.requests,
        run: async (context) => outcomeOf(await compared(path, context), "shape"),
      },
      {
        id: `product.same-values/by-${ending}`,
        title: `A product ${path.name} has the same values as by id`,
        requests: path.requests,
        run: async (context) => outcomeOf(await compared(path, context), "value"),
      },
    ]),
    {
      id: "product.last-updated/in-one-zone",
      title: "No lookup path returns last_updated in another time zone",
      requests: Object.values(otherPaths).reduce((sum, { requests }) => sum + requests, 0),
      async run(context) {
        const all: PathDifference[] = [];
        for (const path of Object.values(otherPaths)) {
          const found = attempt(
            () => compared(path, context),
            () => [],
          );
          all.push(...(await found));
        }
        // What another path has of an earlier time with other prices, this one may have as well.
        const isBehind = all.some(({ kind, path }) => kind === "value" && path === "last_updated");
        const outcome = outcomeOf(all, "shift");
        return isBehind && outcome.kind === "fail" ? { ...outcome, kind: "warn" } : outcome;
      },
    },
  ],
  acrossAllRequests,
);

/** The differences on a path, found once for all checks of the run. */
async function compared({ endpoint, some }: OtherPath, context: CheckContext): Promise<PathDifference[]> {
  return await context.once(`compared with ${endpoint}`, async () => {
    const asked = new Map<string, BatchItem>();
    for (const [request, product] of some(context)) {
      const { request: sent } = await sendBatch(request, context.ask, context.shared);
      if (endpoint.startsWith("lookup-")) asked.set(sent.url, itemOf(product));
      await context.shared(lookupOf(product));
    }
    return await differencesOn(endpoint, context, asked);
  });
}

function outcomeOf(all: readonly PathDifference[], shown: PathDifference["kind"]): Outcome {
  const chosen = all.filter(({ kind }) => kind === shown).slice(0, mostShown);
  return together(
    chosen.flatMap(({ path, pairs, again, shiftMinutes }) =>
      pairs.slice(0, 1).map(({ byId: known, other }) => {
        const finding = {
          ...differenceFinding(known.product, other, path),
          ...identityOf(other.item),
          seen: { count: pairs.length, total: again, of: "products" },
          details: given({ shiftMinutes }),
          comparedWith: 1,
        } as const;
        return failed(finding, other.exchange, known.exchange);
      }),
    ),
  );
}

/** Most values first. Several times of day tell a zone, those of afternoons a clock of twelve hours. */
function richest<T extends ProductFixture>(products: readonly T[]): T[] {
  const worthOf = ({ product: { last_updated: time = "", ...others } }: T) =>
    leavesOf(others).length + (/T(1[3-9]|2)/.test(time ?? "") ? 2000 : time === "" ? 0 : 1000);
  const ranked = products.map((product) => ({ product, worth: worthOf(product) }));
  const first = ranked.toSorted((one, other) => other.worth - one.worth).slice(0, atLeast);
  return first.map(({ product }) => product);
}
