import { canBeOf, identityOf } from "../../schemas/accounts.ts";
import { mostBatchItems as largest } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { type BatchItem, batch, type Request } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { oneOfEachRetailerFirst } from "../discovery/identifiers.ts";
import { actual } from "../response/body-findings.ts";
import { productsIn } from "../response/products-in.ts";
import { countersOf, entriesUnderErrors, isSameItem, itemsSent, listsErrors } from "../response/readers.ts";
import type { CheckContext } from "./check/check.ts";
import {
  browsedProducts,
  choosableProducts,
  itemOf,
  knownItems,
  lookupOf,
  manyItems,
  unknownProduct,
  unknownProducts,
  variedItems,
} from "./check/inputs.ts";
import { identityDifference } from "./check/product-comparison.ts";
import { section } from "./check/rows.ts";

/** Most items, including one of each kind of id. */
const mostAtOnce = 30;

const unknownToSend = 3;

/** Spec, POST /v1/products/batch-lookup. Lists, counters and echoes: rules/batch-responses.ts. */
export default section("batch", [
  {
    id: "batch.lookup/known-products",
    title: "A batch of known products returns all of them",
    bad(context) {
      const items = variedItems(context, mostAtOnce);
      const { batch: names } = context.fixtures;
      const missing = names.present ? undefined : names.missing;
      // An endpoint that a client can use does not return this status for every form of the body.
      return missing?.code === "batch-not-understood" && missing.details.status !== undefined
        ? { request: batch(items, { batchRequestField: "items" }), condition: "every-batch-form" }
        : { request: of(items, context), condition: "known-items", details: { items: items.length } };
    },
    expect: 200,
    unfit: notAllFound,
  },
  {
    id: "batch.lookup/other-organization",
    title: "A batch of products that its pages show returns all of them to the other organization",
    restsOn: "otherOrgKey",
    bad(context) {
      const shown = oneOfEachRetailerFirst(choosableProducts(context, "otherOrg")).slice(0, mostAtOnce);
      if (shown.length === 0) return [];
      const request = { ...of(shown.map(itemOf), context), caller: "otherOrg" } as const;
      return { request, condition: "known-items", details: { items: shown.length } };
    },
    expect: 200,
    unfit: notAllFound,
  },
  {
    id: "batch.lookup/duplicates",
    title: "A batch with a known product twice and an unknown one returns 400, or 200 with one not found",
    requests: 3,
    good: async (context) => of([...knownItems(context, 1), itemOf(await unknownProduct(context))], context),
    async bad(context) {
      const [known] = knownItems(context, 1);
      const items = [known, known, itemOf(await unknownProduct(context))];
      return { request: of(items, context), condition: "duplicate-item" };
    },
    expect: [200, 400],
    // A duplicate may count once or twice; rules judge that, and that the counters are numbers that add up.
    unfit: (exchange) =>
      typeof countersOf(exchange).not_found === "number" ? notOneMissing(exchange) : undefined,
  },
  {
    id: "batch-result.echo/to-the-letter",
    title: "Entries under errors name ids exactly as sent: odd ones, and digits as a string",
    how: "in turn",
    // A service may reject a whole batch for the form of an id, so the plain ones are sent alone as well.
    send: (context) =>
      [oddIds, plainIds].map((ids) => {
        const [known] = knownItems(context, 1);
        return of([known, ...ids.map((id) => ({ ...known, product_id: id }))], context);
      }),
    rules: ["batch-result.echo/every-batch"],
  },
  {
    id: "batch.summary/id-of-another-retailer",
    title: "An id that is sent for its retailer and for another one is found or listed under errors for each",
    how: "in turn",
    send(context) {
      const [known] = knownItems(context, 1);
      const other = need(context.fixtures.retailers).find((slug) => slug !== known.retailer);
      return other === undefined ? [] : [of([known, { ...known, retailer: other }], context)];
    },
    rules: ["batch.summary/every-item"],
  },
  {
    id: "batch.partial/one-missing",
    title: "A batch with one unknown product returns 200, lists it under errors and counts one not found",
    requests: 3,
    good: oneKnown,
    async bad(context) {
      const product = await unknownProduct(context);
      const request = of([...knownItems(context, 1), itemOf(product)], context);
      return { request, condition: "unknown-item", product };
    },
    expect: 200,
    // batch-result.echo judges if the entry echoes its item, batch-result.errors if there is a list.
    unfit: (exchange, _context, { condition, product }) =>
      listsErrors(exchange) && entriesUnderErrors(exchange).length === 0
        ? { code: "item-missing", condition, product, path: "/errors" }
        : notOneMissing(exchange),
  },
  {
    id: "batch.partial/all-missing",
    title: "A batch of unknown products alone, several or one, returns 200 and lists each under errors",
    requests: 3 + unknownToSend,
    good: oneKnown,
    async bad(context) {
      const items = (await unknownProducts(context, unknownToSend)).map(itemOf);
      const condition = "only-unknown-items";
      return [items, items.slice(0, 1)].map((some) => ({ request: of(some, context), condition }));
    },
    expect: 200,
    unfit(exchange) {
      const [sent, { length }] = [itemsSent(exchange).length, entriesUnderErrors(exchange)];
      return !listsErrors(exchange) || length === sent
        ? undefined
        : count("unknown", "/errors", sent, length);
    },
  },
  {
    id: "batch.size/one",
    title: "A batch of one item returns 200",
    good: (context) => of(knownItems(context, 2), context),
    bad: (context) => ofSize(1, knownItems(context, 1), context),
    expect: 200,
  },
  {
    id: "batch.size/fifty",
    title: `A batch of ${largest} items, also of long ones, returns 200 and accounts for each`,
    requests: 4,
    good: oneKnown,
    async bad(context) {
      const all = ofSize(largest, variedItems(context, largest), context);
      // Only a service that takes an item that long takes fifty.
      const [one] = longItems(context);
      const { response } = await context.shared(of([one], context));
      return response.status === 200 ? [all, { ...all, request: of(longItems(context), context) }] : all;
    },
    expect: 200,
    async unfit(exchange, context) {
      if (!listsErrors(exchange)) return undefined;
      const entries = entriesUnderErrors(exchange);
      const accounted = productsIn(exchange, context.fieldNames).length + entries.length;
      if (accounted !== largest) return count("accounted", "", largest, accounted);
      return await lostIn(entries, context);
    },
  },
  {
    id: "batch.over-size/fifty-one",
    title: `A batch of ${largest + 1} items, also of which two are the same, returns 400`,
    requests: 3,
    good: oneKnown,
    bad(context) {
      // Half of them are unknown: a service may count only what it finds.
      const all = ofSize(largest + 1, variedItems(context, largest / 2), context);
      const fifty = manyItems(variedItems(context, largest), largest);
      return [all, { ...all, request: of([...fifty, ...fifty.slice(0, 1)], context) }];
    },
    expect: 400,
  },
  {
    id: "batch.malformed/bad-body",
    title: "A body that is not JSON, has no list of items, or a string in its place, returns 400",
    requests: 4,
    good: oneKnown,
    bad(context) {
      const { batchRequestField: field } = need(context.fixtures.batch);
      const bodies = {
        "not-json": "{",
        "no-list": "{}",
        "text-for-list": JSON.stringify(field === "" ? "x" : { [field]: "x" }),
      };
      return Object.entries(bodies).map(([subject, body]) => ({
        request: { ...oneKnown(context), body },
        condition: "malformed-batch",
        subject,
      }));
    },
    expect: 400,
  },
  {
    id: "batch.malformed/incomplete-item",
    title: "An item without a product_id is refused or listed under errors, never found",
    good: oneKnown,
    bad(context) {
      const [{ retailer }] = knownItems(context, 1);
      return { request: batch([{ retailer }], need(context.fixtures.batch)), condition: "incomplete-item" };
    },
    expect: [200, 400],
    unfit(exchange, { fieldNames }) {
      const [found] = productsIn(exchange, fieldNames);
      const about = { condition: "incomplete-item" } as const;
      if (found !== undefined) return { code: "item-unexpected", ...about, path: found.path };
      return listsErrors(exchange) && entriesUnderErrors(exchange).length === 0
        ? { code: "item-missing", ...about, path: "/errors" }
        : undefined;
    },
  },
]);

function of(items: readonly BatchItem[], { fixtures }: CheckContext): Request {
  return batch(items, need(fixtures.batch));
}

function oneKnown(context: CheckContext): Request {
  return of(knownItems(context, 1), context);
}

function ofSize(items: number, known: readonly [BatchItem, ...BatchItem[]], context: CheckContext) {
  const request = of(manyItems(known, items), context);
  return { request, condition: "batch-size", details: { items } } as const;
}

/** So many characters that 50 items are more than 8 kB: a service may read only the beginning of a body. */
const longId = 140;

function longItems(context: CheckContext): [BatchItem, ...BatchItem[]] {
  const long = (item: BatchItem) => ({ ...item, product_id: item.product_id.padEnd(longId, "0") });
  const [first, ...others] = manyItems(knownItems(context, 1), largest) as [BatchItem, ...BatchItem[]];
  return [long(first), ...others.slice(0, -1).map(long), ...others.slice(-1)];
}

/** What known products a batch does not find, or finds another one for. */
async function notAllFound(exchange: Exchange, context: CheckContext): Promise<Finding | undefined> {
  const items = itemsSent(exchange);
  const found = productsIn(exchange, context.fieldNames);
  const absent = items.filter((item) => !found.some(({ product }) => canBeOf(product, item)));
  const by = exchange.caller === "otherOrg" ? "otherOrg" : "primary";
  const lost = await lostIn(absent, context, by);
  if (lost !== undefined) return lost;
  const expected = items.length - absent.length;
  const list = pointer(context.fieldNames.batchFoundField ?? "");
  if (found.length !== expected) return count("known", list, expected, found.length);
  // The URL of a product may be another one for each organization, with the name of a partner.
  const shown = choosableProducts(context, by);
  for (const { path, product } of found) {
    const known = shown.find((one) => isSameItem(itemOf(one), product));
    const difference = known && identityDifference(known.product, product, path);
    if (difference !== undefined) return { ...difference, ...identityOf(product) };
  }
  return undefined;
}

// A service may trim blanks at the ends, but must not change any of these.
const plainIds = ["0012345", "12345678", "AbC-xYz", "1e5"] as const;
const oddIds = [
  ...plainIds,
  "12345678901234567890",
  "-0",
  "true",
  "null",
  "constructor",
  "a/b?c=d&e#f;g",
  "50%25+1",
  `"it's"`,
  "\\u0041",
  "ÄÖ-e\u0301-\u00e9",
  "😀",
] as const;

/** Most items to look up alone, of those that a batch does not find. */
const mostAlone = 3;

/** The first of these items that a lookup by id finds. */
async function lostIn(
  items: readonly Parameters<typeof isSameItem>[0][],
  context: CheckContext,
  caller: "primary" | "otherOrg" = "primary",
): Promise<Finding | undefined> {
  const known = browsedProducts(context, caller).filter((one) =>
    items.some((item) => isSameItem(item, itemOf(one))),
  );
  for (const one of known.slice(0, mostAlone)) {
    const { retailer, productId } = one;
    if ((await context.shared(lookupOf(one, caller))).response.status === 200)
      return { code: "item-missing", product: { retailer, productId }, condition: "known-items" };
  }
  return undefined;
}

/** The finding that a batch with one unknown item does not count one. */
function notOneMissing(exchange: Exchange): Finding | undefined {
  const { not_found: notFound = 1 } = countersOf(exchange);
  return notFound === 1 ? undefined : count("unknown", "/meta/not_found", 1, notFound);
}

type Counted = NonNullable<FindingOf<"wrong-count">["details"]>["counted"];

/** The finding on a wrong count of items sent, found or not found. */
function count(counted: Counted, path: string, expected: number, seen: unknown): Finding {
  return { code: "wrong-count", path, expected, ...actual(seen), details: { counted } };
}
