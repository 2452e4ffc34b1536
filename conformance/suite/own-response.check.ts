import { endpoints } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { batch, byCategory, byGtin, byId, byUrl, type Request, retailers } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { oneOfEachRetailerFirst } from "../discovery/choose-products.ts";
import { need, type ProductFixture } from "../discovery/fixtures.ts";
import { unknownSlug } from "../discovery/stand-ins.ts";
import { type Check, type CheckContext, section } from "../engine/check.ts";
import { failed, NotJudged, type Outcome, passed, warning } from "../engine/outcome.ts";
import { pointer } from "../response/body-path.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import { hasStatus } from "./expectations.ts";
import { falseNotFound, requestAgain } from "./found-and-missing.ts";
import { differsFrom, productOf } from "./product-comparison.ts";
import { freshProducts, productsSeen } from "./what-to-ask.ts";

/** Different requests under way at the same time, and how often. */
const atOnce = 12;
const rounds = 2;
/** Requests to send again for what was missing once, to see whether it happens again. */
const mostAskedAgain = 60;
/** Retailers to scope a GTIN to until one does not have it. */
const slugsToTry = 3;
const ordinaryPage = "9";
const longerPage = "11";

const wayTitles: Readonly<Record<string, string>> = {
  "by-id": endpoints["lookup-by-id"].label,
  "by-url": endpoints["lookup-by-url"].label,
  "by-gtin": `${endpoints["lookup-by-gtin"].label} and retailer`,
  "by-gtin-unscoped": endpoints["lookup-by-gtin"].label,
  batch: endpoints.batch.label,
};

/** What shows only across requests: answers that belong to others, and products that are missing now and then. */
export default section(
  "service",
  [
    {
      id: "service.own-response/at-once",
      requirement: "service.own-response",
      title: "Concurrent requests each get the response to their own request",
      requests: atOnce * rounds,
      async run(context) {
        const mixed = await answersAtOnce(context);
        if (mixed.length === 0)
          return passed({ code: "checked", seen: { count: atOnce * rounds, of: "requests" } });
        const evidence = mixed.map(({ exchange }) => exchange).slice(0, 3);
        return failed(
          mixed.slice(0, 3).map(({ finding }, index) => ({ ...finding, exchange: index })),
          ...evidence,
        );
      },
    },
    {
      id: "service.own-response/after-refusal",
      requirement: "service.own-response",
      title: "A valid request succeeds right after a similar one was refused",
      requests: 11,
      run: afterRefusal,
    },
    ...Object.entries(waysInTurn()).map(
      ([name, { title, requests, run }]): Check => ({
        id: `service.own-response/in-turn-${name}`,
        requirement: "service.own-response",
        title,
        requests,
        run,
      }),
    ),
    {
      id: "errors.false-not-found/known-products",
      requirement: "errors.false-not-found",
      title: "Nothing that is found earlier and later in the run is missing in between",
      requests: 1,
      run: noFalse404,
    },
  ],
  "Across all requests",
);

interface Asked {
  readonly request: Request;
  readonly expected: (answer: Exchange) => Finding | undefined;
}

interface Mixed {
  readonly exchange: Exchange;
  readonly finding: Finding;
}

/** Sends rounds of different requests at once, and says which answers were not those that were asked for. */
async function answersAtOnce(context: CheckContext): Promise<Mixed[]> {
  return await context.once("answers at once", async () => {
    const mixed: Mixed[] = [];
    const all = differentRequests(context);
    for (let round = 0; round < rounds * context.effort; round++) {
      const chosen = Array.from(
        { length: Math.min(atOnce, all.length) },
        (_, index) => all[(round * 5 + index) % all.length],
      ).filter((one) => one !== undefined);
      const answers = await Promise.all(chosen.map(({ request }) => context.ask(request)));
      answers.forEach((exchange, index) => {
        const finding = exchange.response.status === 200 ? chosen[index]?.expected(exchange) : undefined;
        if (finding !== undefined) mixed.push({ exchange, finding });
      });
    }
    return mixed;
  });
}

function differentRequests(context: CheckContext): Asked[] {
  const { fixtures, dialect } = context;
  const own = need(fixtures.retailers);
  const others = fixtures.otherRetailers.present ? fixtures.otherRetailers.value : [];
  const products = oneOfEachRetailerFirst(fixtures.products).slice(0, 2 * atOnce);
  need(fixtures.product);
  const isOf =
    (fixture: ProductFixture) =>
    (answer: Exchange): Finding | undefined => {
      const difference = differsFrom(fixture, productOf(answer));
      return difference && { ...difference, condition: "at-once" };
    };
  const items = (chosen: readonly ProductFixture[]) =>
    chosen.map(({ retailer, productId }) => ({ retailer, product_id: productId }));
  const inBatch =
    (chosen: readonly ProductFixture[]) =>
    (answer: Exchange): Finding | undefined => {
      const alien = productsIn(answer, dialect).find(
        ({ product }) =>
          product.product_id !== undefined &&
          !chosen.some(({ productId }) => productId === product.product_id),
      );
      return (
        alien && {
          code: "item-not-sent",
          path: alien.path,
          actual: identity(alien.product),
          ...identityOf(alien.product),
        }
      );
    };
  const listOf = (slugs: readonly string[], foreign: readonly string[]) => (answer: Exchange) => {
    const seen = slugsIn(answer.response.json);
    const alien = seen.find((slug) => foreign.includes(slug) && !slugs.includes(slug));
    return alien === undefined
      ? undefined
      : ({
          code: "retailer-of-other-organization",
          subject: alien,
          path: pointer("retailers", seen.indexOf(alien)),
        } as const);
  };
  const asOther = fixtures.otherRetailers.present
    ? [
        { request: { ...retailers(), caller: "otherOrg" } as const, expected: listOf(others, own) },
        ...products
          .filter(({ retailer }) => others.includes(retailer))
          .slice(0, 3)
          .map((product) => ({
            request: { ...byId(product.retailer, product.productId), caller: "otherOrg" } as const,
            expected: isOf(product),
          })),
      ]
    : [];
  const gtins = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const [first = [], second = []] = [products.slice(0, 3), products.slice(3, 6)];
  const batches = fixtures.batch.present
    ? [first, second]
        .filter(({ length }) => length > 0)
        .map((chosen) => ({ request: batch(items(chosen), need(fixtures.batch)), expected: inBatch(chosen) }))
    : [];
  return interleaved([
    products
      .filter(({ productId }) => !/^\.{1,2}$/.test(productId))
      .map((product) => ({ request: byId(product.retailer, product.productId), expected: isOf(product) })),
    [...asOther, ...batches],
    [
      ...gtins
        .slice(0, 3)
        .map((product) => ({ request: byGtin(product.gtin, product.retailer), expected: isOf(product) })),
      { request: retailers(), expected: listOf(own, others) },
      ...fixtures.withUrl
        .slice(0, 2)
        .map((product) => ({ request: byUrl(product.url), expected: isOf(product) })),
    ],
  ]);
}

function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

const identity = ({ retailer, product_id }: Readonly<Record<string, unknown>>) => ({ retailer, product_id });

/** A request is refused first: what a cache keeps of that must not be given to the one in due form. */
async function afterRefusal(context: CheckContext): Promise<Outcome> {
  const { fixtures, ask } = context;
  const known = need(fixtures.product);
  const fresh = oneOfEachRetailerFirst(freshProducts(context));
  const [withoutKey = known, underSlug = known] = fresh;
  const isLettered = (one: ProductFixture) =>
    one !== withoutKey && one !== underSlug && /^[!-~]*[A-Za-z][!-~]*$/.test(one.productId);
  const inCase = fresh.find(isLettered) ?? productsSeen(context).find(isLettered);
  const found = async (fixture: ProductFixture, refusal: Exchange, request: Request): Promise<Outcome> => {
    const answer = await ask(request);
    const { retailer, productId } = fixture;
    const circumstances = { condition: "after-refusal", product: { retailer, productId } } as const;
    const status = hasStatus(answer, 200, circumstances, refusal);
    if (status.kind !== "pass") return status;
    const difference = differsFrom(fixture, productOf(answer));
    return difference === undefined ? status : failed({ ...difference, ...circumstances }, answer, refusal);
  };
  const lookup = ({ retailer, productId }: ProductFixture) => byId(retailer, productId);
  // Without a key, then with one, then without one again.
  const nobody = { ...lookup(withoutKey), caller: "nobody" } as const;
  const refusal = await ask(nobody);
  const first = await found(withoutKey, refusal, lookup(withoutKey));
  if (first.kind !== "pass") return first;
  // What is not refused the first time has nothing to do with the response before.
  if (refusal.response.status === 401) {
    const again = hasStatus(await ask(nobody), 401, { condition: "no-key" }, ...first.evidence.slice(0, 1));
    if (again.kind !== "pass") return again;
  }
  const unknown = byId(unknownSlug(need(fixtures.retailers)), underSlug.productId);
  const second = await found(underSlug, await ask(unknown), lookup(underSlug));
  if (second.kind !== "pass") return second;
  if (inCase !== undefined) {
    const { retailer, productId } = inCase;
    const third = await found(inCase, await ask(byId(retailer, otherCase(productId))), lookup(inCase));
    if (third.kind !== "pass") return third;
  }
  if (!fixtures.productsByGtin.present) return passed();
  const [product = known] = fixtures.productsByGtin.value.toReversed();
  const { retailer, productId, gtin = "" } = product;
  for (const slug of need(fixtures.retailers)
    .filter((one) => one !== retailer)
    .slice(0, slugsToTry)) {
    const mismatch = await ask(byGtin(gtin, slug));
    if (mismatch.response.status !== 404) continue;
    const scoped = await ask(byGtin(gtin, retailer));
    return hasStatus(scoped, 200, { condition: "after-refusal", product: { retailer, productId } }, mismatch);
  }
  return passed();
}

function otherCase(id: string): string {
  const upper = id.toUpperCase();
  return upper === id ? id.toLowerCase() : upper;
}

interface InTurn {
  readonly title: string;
  readonly requests: number;
  readonly run: (context: CheckContext) => Promise<Outcome>;
}

function waysInTurn(): Readonly<Record<string, InTurn>> {
  const ways: Readonly<
    Record<string, (product: ProductFixture, context: CheckContext) => Request | undefined>
  > = {
    "by-id": ({ retailer, productId }) => byId(retailer, productId),
    "by-url": ({ url }) => (url === undefined ? undefined : byUrl(url)),
    "by-gtin": ({ gtin, retailer }) => (gtin === undefined ? undefined : byGtin(gtin, retailer)),
    "by-gtin-unscoped": ({ gtin }) => (gtin === undefined ? undefined : byGtin(gtin)),
    batch: ({ retailer, productId }, { fixtures }) =>
      batch([{ retailer, product_id: productId }], need(fixtures.batch)),
  };
  const lookups = Object.entries(ways).map(([name, request]): [string, InTurn] => [
    name,
    {
      title: `${wayTitles[name]}: keys of two organizations, used in turn, each get their own response`,
      requests: 6,
      run: (context) => lookupInTurn(context, (product) => request(product, context)),
    },
  ]);
  return {
    ...Object.fromEntries(lookups),
    retailers: {
      title: `${endpoints.retailers.label}: keys of two organizations, used in turn, each get their own response`,
      requests: 4,
      run: retailersInTurn,
    },
    "by-category": {
      title: `${endpoints["category-page"].label}: keys of two organizations, used in turn, each get their own response`,
      requests: 5,
      run: pageInTurn,
    },
  };
}

/** Each product with the key that may see it, then with the one that may not, and the first one again. */
async function lookupInTurn(
  context: CheckContext,
  request: (product: ProductFixture) => Request | undefined,
): Promise<Outcome> {
  const { fixtures } = context;
  need(fixtures.otherOrgKey);
  const pairs: readonly (readonly [ProductFixture | undefined, Caller, Caller])[] = [
    [ownOnly(context), "primary", "otherOrg"],
    [
      fixtures.unentitledProduct.present ? fixtures.unentitledProduct.value : undefined,
      "otherOrg",
      "primary",
    ],
  ];
  let count = 0;
  for (const [product, entitled, other] of pairs) {
    const asked = product && request(product);
    if (product === undefined || asked === undefined) continue;
    const outcome = await oneThenOther(context, { product, asked, entitled, other });
    if (outcome.kind !== "pass") return outcome;
    count += 3;
  }
  if (!fixtures.ownProduct.present) need(fixtures.unentitledProduct);
  return passed({ code: "checked", seen: { count, of: "requests" } });
}

interface Turn {
  readonly product: ProductFixture;
  readonly asked: Request;
  readonly entitled: Caller;
  readonly other: Caller;
}

async function oneThenOther(
  context: CheckContext,
  { product, asked, entitled, other }: Turn,
): Promise<Outcome> {
  const { ask, dialect } = context;
  const { retailer, productId } = product;
  const shows = (answer: Exchange) =>
    productsIn(answer, dialect).find(
      (seen) => seen.product.retailer === retailer && seen.product.product_id === productId,
    );
  const first = await ask({ ...asked, caller: entitled });
  if (shows(first) === undefined)
    return passed({ code: "judged-elsewhere", subject: "service.four-ways" }, first);
  const second = await ask({ ...asked, caller: other });
  const named = { product: { retailer, productId } } as const;
  const leaked = shows(second);
  if (leaked !== undefined) {
    const path = leaked.path + pointer("retailer");
    return failed({ code: "not-granted", path, actual: retailer, subject: other, ...named }, second, first);
  }
  const third = await ask({ ...asked, caller: entitled });
  if (shows(third) !== undefined) return passed();
  const circumstances = { condition: "in-turn", ...named, details: { after: other } } as const;
  return third.response.status === 200
    ? failed(
        { code: "other-product", ...circumstances, path: pointer("product_id"), expected: productId },
        third,
        second,
      )
    : hasStatus(third, 200, circumstances, second);
}

/** A product that only the first organization may see, with a GTIN where there is one, and not looked up before where there is one. */
function ownOnly(context: CheckContext): ProductFixture | undefined {
  const { fixtures } = context;
  if (!fixtures.otherRetailers.present || !fixtures.ownProduct.present) return undefined;
  const granted = new Set(fixtures.otherRetailers.value);
  const gtins = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const shared = new Set(fixtures.sharedGtins.map(({ gtin }) => gtin));
  return (
    gtins.find(
      ({ retailer, gtin, url }) => !granted.has(retailer) && url !== undefined && !shared.has(gtin),
    ) ??
    freshProducts(context).find(({ retailer, url }) => !granted.has(retailer) && url !== undefined) ??
    fixtures.ownProduct.value
  );
}

async function retailersInTurn({ fixtures, ask }: CheckContext): Promise<Outcome> {
  const own = need(fixtures.retailers);
  const others = need(fixtures.otherRetailers);
  const onlyOwn = own.filter((slug) => !others.includes(slug));
  const onlyOthers = others.filter((slug) => !own.includes(slug));
  for (const caller of ["primary", "otherOrg", "primary", "otherOrg"] as const) {
    const foreign = caller === "primary" ? onlyOthers : onlyOwn;
    const answer = await ask({ ...retailers(), caller });
    const seen = slugsIn(answer.response.json);
    const alien = seen.find((slug) => foreign.includes(slug));
    // It may have been granted meanwhile: then it is there together with those of its own.
    const ownOnes = caller === "primary" ? onlyOwn : onlyOthers;
    if (alien !== undefined && !ownOnes.some((slug) => seen.includes(slug)))
      return failed(
        {
          code: "retailer-of-other-organization",
          subject: alien,
          path: pointer("retailers", seen.indexOf(alien)),
        },
        answer,
      );
  }
  return passed({ code: "checked", seen: { count: 4, of: "requests" } });
}

async function pageInTurn(context: CheckContext): Promise<Outcome> {
  const { fixtures, ask, dialect } = context;
  const { category } = need(fixtures.category);
  const others = new Set(need(fixtures.otherRetailers));
  const own = new Set(need(fixtures.retailers));
  const page = async (limit: string, caller: Caller) =>
    await ask({ ...byCategory(category, { limit }), caller });
  const alienIn = (answer: Exchange, granted: ReadonlySet<string>) =>
    productsIn(answer, dialect).find(
      ({ product: { retailer } }) =>
        typeof retailer === "string" && !granted.has(retailer) && (own.has(retailer) || others.has(retailer)),
    );
  const leak = (answer: Exchange, before: Exchange, caller: Caller) => {
    const alien = alienIn(answer, caller === "primary" ? own : others);
    return alien === undefined
      ? undefined
      : failed(
          {
            code: "not-granted",
            path: alien.path + pointer("retailer"),
            actual: alien.product.retailer,
            subject: caller,
            ...identityOf(alien.product),
          },
          answer,
          before,
        );
  };
  const first = await page(ordinaryPage, "primary");
  const second = await page(ordinaryPage, "otherOrg");
  const third = await page(ordinaryPage, "primary");
  const longerOfOther = await page(longerPage, "otherOrg");
  const longer = await page(longerPage, "primary");
  const leaked =
    leak(second, first, "otherOrg") ??
    leak(third, second, "primary") ??
    leak(longer, longerOfOther, "primary");
  if (leaked !== undefined) return leaked;
  // What only the first organization may see is on its page, also after the other one asked.
  const ownOnly = productsIn(first, dialect).filter(
    ({ product: { retailer } }) => typeof retailer === "string" && !others.has(retailer),
  );
  for (const [answer, before] of [
    [third, second],
    [longer, longerOfOther],
  ] as const) {
    const shown = new Set(
      productsIn(answer, dialect).map(({ product }) => JSON.stringify(identity(product))),
    );
    const hidden = ownOnly.filter(({ product }) => !shown.has(JSON.stringify(identity(product))));
    if (answer.response.status === 200 && hidden.length === ownOnly.length && hidden.length > 0)
      return failed(
        {
          code: "item-missing",
          condition: "in-turn",
          subject: category,
          ...identityOf(hidden[0]?.product ?? {}),
          seen: { count: hidden.length, of: "products" },
          details: { after: "otherOrg", limit: answer === third ? ordinaryPage : longerPage },
        },
        answer,
        before,
      );
  }
  return passed({ code: "checked", seen: { count: 5, of: "requests" } });
}

async function noFalse404(context: CheckContext): Promise<Outcome> {
  // The more was asked, the more shows.
  await answersAtOnce(context);
  let { incidents, asked } = falseNotFound(context);
  const first = incidents[0];
  if (first === undefined) return passed({ code: "checked", seen: { count: asked, of: "requests" } });
  // It is there now, too: it cannot have left.
  const present = await context.ask(requestAgain(first.missing, context));
  const isGone =
    present.response.status === 404 &&
    (await context.ask(requestAgain(first.missing, context))).response.status === 404;
  if (isGone) throw new NotJudged({ code: "product-gone", ...first.named });
  for (const { repeat } of incidents.length > 1 ? [] : again(context)) await context.ask(repeat);
  ({ incidents, asked } = falseNotFound(context));
  const seen = { count: incidents.length, total: asked, of: "requests" } as const;
  const [{ missing, found, named }] = incidents as [typeof first];
  const finding: Finding = {
    code: "false-not-found",
    endpoint: missing.endpoint,
    actual: missing.response.status,
    ...named,
    seen,
    byEndpoint: [...Map.groupBy(incidents, (one) => one.missing.endpoint)].map(([endpoint, all]) => ({
      endpoint,
      count: all.length,
      total: all.length,
    })),
  };
  return incidents.length > 1
    ? failed(finding, missing, found, present)
    : warning(finding, missing, found, present);
}

function again(context: CheckContext): { repeat: Request }[] {
  const lookups = productsSeen(context).map(({ retailer, productId }) => ({
    repeat: byId(retailer, productId),
  }));
  return Array.from(
    { length: mostAskedAgain },
    (_, index) => lookups[index % Math.min(lookups.length, 15)],
  ).filter((one) => one !== undefined);
}
