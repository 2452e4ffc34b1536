import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { Exchange } from "../client/exchange.ts";
import {
  batch,
  byCategory,
  byGtin,
  byId,
  byUrl,
  keyIn,
  type Request,
  retailers,
} from "../client/requests.ts";
import { nextCursor } from "../discovery/browsing.ts";
import { need, needPart, type ProductFixture } from "../discovery/fixtures.ts";
import { invalidKey, unknownUrl } from "../discovery/stand-ins.ts";
import type { Check, CheckContext } from "../engine/check.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { neighbouringGtins } from "../response/gtin.ts";
import { productsIn } from "../response/products-in.ts";
import { endpoints } from "./each-endpoint.ts";
import { hasStatus } from "./expectations.ts";
import { answerDifference, productOf } from "./product-comparison.ts";
import { unknownProduct } from "./unknown-product.ts";

const retailersToCompare = 3;
// Of another form than any key: a service may look a key up by its form first.
const neverAKey = "shelfcheck";

const fixForForeign =
  "Give a category in which a retailer that is not granted has products with URLs and GTINs (--category).";

const waysToOwnProduct = {
  "by-id": ({ retailer, productId }) => byId(retailer, productId),
  "by-url": ({ retailer, url }) =>
    byUrl(needPart(url, `no product of ${retailer} with a product_url is known`, fixForForeign)),
  batch: ({ retailer, productId }, { fixtures }) =>
    batch([{ retailer, product_id: productId }], need(fixtures.batch)),
} as const satisfies Record<string, (product: ProductFixture, context: CheckContext) => Request>;

/** Spec, Authentication. That no answer shows what is not granted is held by the passive rules too. */
export default section("authentication", [
  ...Object.entries(endpoints).map(
    ([name, request]): Check => ({
      id: `authentication.required/${name}`,
      requirement: "authentication.required",
      title: `Without a key, ${name} gives 401`,
      requests: 2,
      async run(context) {
        const succeeds = await context.control(request(context));
        const answer = await context.ask({ ...request(context), caller: "nobody" });
        return hasStatus(answer, 401, "no key was sent", succeeds);
      },
    }),
  ),
  ...Object.entries(endpoints).map(
    ([name, request]): Check => ({
      id: `authentication.invalid-key/${name}`,
      requirement: "authentication.invalid-key",
      title: `With a key that was never issued, ${name} gives 401`,
      requests: 2,
      async run(context) {
        const succeeds = await context.control(request(context));
        const headers = keyIn(keyHeaders.bearer, invalidKey(context.target.keys.primary ?? ""));
        const good = request(context);
        const answer = await context.ask({
          ...good,
          caller: "nobody",
          headers: { ...good.headers, ...headers },
        });
        return hasStatus(answer, 401, "the key was never issued", succeeds);
      },
    }),
  ),
  accepted("authentication.bearer", keyHeaders.bearer),
  accepted("authentication.x-api-key", keyHeaders.plain),
  ...Object.entries(endpoints).map(
    ([name, request]): Check => ({
      id: `authentication.equivalent/${name}`,
      requirement: "authentication.equivalent",
      title: `${name} answers the same with either header`,
      requests: 2,
      async run(context) {
        // By id a product of each retailer: what is granted may be looked up apart for each header.
        const others = name === "by-id" ? otherRetailersProducts(context) : [];
        for (const same of [request(context), ...others]) {
          const bearer = await context.shared({ ...same, keyHeader: keyHeaders.bearer });
          const xApiKey = await context.shared({ ...same, keyHeader: keyHeaders.plain });
          const status = sameStatus(bearer, xApiKey);
          if (status.kind !== "pass") return status;
          const difference = answerDifference(bearer, xApiKey, context.dialect);
          if (difference !== undefined) return failed(difference, xApiKey, bearer);
        }
        return passed();
      },
    }),
  ),
  {
    id: "authentication.equivalent/error",
    requirement: "authentication.equivalent",
    title: "An unknown product gives the same error with either header",
    requests: 2,
    async run(context) {
      const { retailer, productId } = await unknownProduct(context);
      const request = byId(retailer, productId);
      const bearer = await context.ask({ ...request, keyHeader: keyHeaders.bearer });
      const xApiKey = await context.ask({ ...request, keyHeader: keyHeaders.plain });
      const [one, other] = [bearer.response.status, xApiKey.response.status];
      return one === other
        ? passed()
        : failed(`${one} with Authorization, ${other} with X-Api-Key`, xApiKey, bearer);
    },
  },
  {
    id: "authentication.equivalent/refusal",
    requirement: "authentication.equivalent",
    title: "A product that is not granted gives the same error with either header",
    requests: 3,
    async run({ fixtures, ask, control }) {
      const { retailer, productId } = need(fixtures.unentitledProduct);
      const request = byId(retailer, productId);
      await control({ ...request, caller: "otherOrg" });
      return sameStatus(
        await ask({ ...request, keyHeader: keyHeaders.bearer }),
        await ask({ ...request, keyHeader: keyHeaders.plain }),
      );
    },
  },
  {
    id: "authentication.equivalent/second-page",
    requirement: "authentication.equivalent",
    title: "The second page of a category is the same with either header",
    requests: 3,
    async run(context) {
      const { category } = need(context.fixtures.category);
      const first = await context.control(byCategory(category, { limit: "3" }));
      const cursor = nextCursor(first.response.json);
      // A category of one page has no second one to compare.
      if (cursor === undefined || cursor === "") return passed("one page");
      const request = byCategory(category, { limit: "3", cursor });
      const bearer = await context.ask({ ...request, keyHeader: keyHeaders.bearer });
      const xApiKey = await context.ask({ ...request, keyHeader: keyHeaders.plain });
      const difference = answerDifference(bearer, xApiKey, context.dialect);
      return difference === undefined ? sameStatus(bearer, xApiKey) : failed(difference, xApiKey, bearer);
    },
  },
  {
    id: "authentication.equivalent/second-key",
    requirement: "authentication.equivalent",
    title: "A second key of the organization is accepted in either header",
    requests: 2,
    async run({ fixtures, ask }) {
      need(fixtures.sameOrgKey);
      const request = { ...retailers(), caller: "sameOrg" } as const;
      return sameStatus(
        await ask({ ...request, keyHeader: keyHeaders.bearer }),
        await ask({ ...request, keyHeader: keyHeaders.plain }),
      );
    },
  },
  {
    id: "authentication.equivalent/both-good",
    requirement: "authentication.equivalent",
    title: "The same good key in both headers is a good key",
    requests: 2,
    async run({ target, fixtures, ask, control }) {
      const { retailer, productId } = need(fixtures.product);
      const request = byId(retailer, productId);
      const succeeds = await control(request);
      const headers = keyIn(keyHeaders.plain, target.keys.primary ?? "");
      const answer = await ask({ ...request, keyHeader: keyHeaders.bearer, headers });
      // The spec says "either": a service may refuse to be told twice, but not for want of a key.
      return hasStatus(answer, [200, 400, 401], "both headers carry a good key", succeeds);
    },
  },
  refused(
    "x-api-key",
    "A key that was never issued, as X-Api-Key,",
    (key) => keyIn(keyHeaders.plain, invalidKey(key)),
    () => keyIn(keyHeaders.plain, neverAKey),
  ),
  refused(
    "empty-bearer",
    "An empty Bearer, or one that has no key's form,",
    () => keyIn(keyHeaders.bearer, ""),
    () => keyIn(keyHeaders.bearer, neverAKey),
  ),
  refused("empty-x-api-key", "An empty X-Api-Key", () => keyIn(keyHeaders.plain, "")),
  refused("key-with-a-tail", "A good key with a letter too many", (key) =>
    keyIn(keyHeaders.bearer, `${key}x`),
  ),
  refused("both-bad", "A key that was never issued, in both headers,", (key) => ({
    ...keyIn(keyHeaders.bearer, invalidKey(key)),
    ...keyIn(keyHeaders.plain, invalidKey(key)),
  })),
  {
    id: "authentication.entitlement/by-url",
    requirement: "authentication.entitlement",
    title: "The page URL of a product that is not granted never gives that product",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const product = need(fixtures.unentitledProduct);
      const url = needPart(
        product.url,
        `no product of ${product.retailer} with a product_url is known`,
        fixForForeign,
      );
      const succeeds = await control({ ...byUrl(url), caller: "otherOrg" });
      const answer = await ask(byUrl(url));
      // As what is not granted or as what is not there: then it must look like any other page that is not there.
      const unknown = await ask(byUrl(unknownUrl(url)));
      return hasStatus(answer, [403, 404, unknown.response.status], "its retailer is not granted", succeeds);
    },
  },
  {
    id: "authentication.entitlement/by-gtin",
    requirement: "authentication.entitlement",
    title: "The GTIN of a product that is not granted never gives that product",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { retailer, ...product } = need(fixtures.unentitledProduct);
      const gtin = needPart(product.gtin, `no product of ${retailer} with a GTIN is known`, fixForForeign);
      const succeeds = await control({ ...byGtin(gtin), caller: "otherOrg" });
      const answer = await ask(byGtin(gtin));
      if (answer.response.status !== 200) {
        const [unknown = gtin] = neighbouringGtins(gtin);
        const { response } = await ask(byGtin(unknown));
        return hasStatus(answer, [403, 404, response.status], `${retailer} is not granted`, succeeds);
      }
      // The GTIN may also lead to a product that is granted.
      return productOf(answer).retailer === retailer
        ? failed(`a product of ${retailer}, which is not granted, was given`, answer, succeeds)
        : passed("a product that is granted has the same GTIN");
    },
  },
  {
    id: "authentication.entitlement/second-key",
    requirement: "authentication.entitlement",
    title: "A second key of the organization does not get a product that is not granted either",
    requests: 2,
    async run({ fixtures, ask, control }) {
      need(fixtures.sameOrgKey);
      const { retailer, productId } = need(fixtures.unentitledProduct);
      const succeeds = await control({ ...byId(retailer, productId), caller: "otherOrg" });
      return notGiven(await ask({ ...byId(retailer, productId), caller: "sameOrg" }), retailer, succeeds);
    },
  },
  ...Object.entries(waysToOwnProduct).map(
    ([name, request]): Check => ({
      id: `authentication.entitlement/other-organization-${name}`,
      requirement: "authentication.entitlement",
      title: `The other organization does not get a product of a retailer that only the first may use: ${name}`,
      requests: 2,
      async run(context) {
        const product = need(context.fixtures.ownProduct);
        const succeeds = await context.control(request(product, context));
        const answer = await context.ask({ ...request(product, context), caller: "otherOrg" });
        await askByGtinToo(context);
        const granted = need(context.fixtures.otherRetailers);
        // A GTIN may also lead to a product that is granted to it.
        const found = productsIn(answer, context.dialect).filter(
          (seen) => typeof seen.product.retailer === "string" && !granted.includes(seen.product.retailer),
        );
        return found.length > 0
          ? failed(
              `the other organization got a product of a retailer that its list does not hold`,
              answer,
              succeeds,
            )
          : passed(`answered ${answer.response.status}`);
      },
    }),
  ),
]);

function otherRetailersProducts({ fixtures }: CheckContext): Request[] {
  const known = need(fixtures.product);
  const others = fixtures.products.filter(({ retailer }) => retailer !== known.retailer);
  const firsts = new Map(others.toReversed().map((product) => [product.retailer, product]));
  return [...firsts.values()]
    .slice(0, retailersToCompare)
    .map(({ retailer, productId }) => byId(retailer, productId));
}

// Where a GTIN of such a retailer is known, the rule on every product sees what the other organization gets for it.
async function askByGtinToo({ fixtures, shared }: CheckContext): Promise<void> {
  const granted = need(fixtures.otherRetailers);
  const known = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const own = known.find(({ retailer }) => !granted.includes(retailer));
  if (own !== undefined) await shared({ ...byGtin(own.gtin), caller: "otherOrg" });
}

function sameStatus(bearer: Exchange, xApiKey: Exchange): Outcome {
  const [one, other] = [bearer.response.status, xApiKey.response.status];
  return one === other
    ? passed(`${one} with both`)
    : failed(`${one} with Authorization, ${other} with X-Api-Key`, xApiKey, bearer);
}

function notGiven(answer: Exchange, retailer: string, control: Exchange): Outcome {
  return answer.response.status === 200
    ? failed(`a product of ${retailer}, which is not granted, was given`, answer, control)
    : passed(`answered ${answer.response.status}`);
}

function accepted(requirement: string, keyHeader: KeyHeader): Check {
  return {
    id: `${requirement}/accepted`,
    requirement,
    title: `A good key in ${keyHeader} is accepted`,
    requests: 1,
    async run({ ask }) {
      const answer = await ask({ ...retailers(), keyHeader });
      return hasStatus(answer, 200, `the key is good, and ${keyHeader} carried it`);
    },
  };
}

function refused(
  name: string,
  title: string,
  ...ways: readonly ((key: string) => Record<string, string>)[]
): Check {
  return {
    id: `authentication.invalid-key/${name}`,
    requirement: "authentication.invalid-key",
    title: `${title} gives 401`,
    requests: 1 + ways.length,
    async run({ target, ask, control }) {
      const succeeds = await control(retailers());
      const key = target.keys.primary ?? "";
      for (const headers of ways) {
        const answer = await ask({ ...retailers(), caller: "nobody", headers: headers(key) });
        const status = hasStatus(answer, 401, "the key is not valid", succeeds);
        if (status.kind !== "pass") return status;
      }
      return passed("answered 401");
    },
  };
}
