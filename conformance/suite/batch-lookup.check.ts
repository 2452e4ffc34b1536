import { itemNotSent } from "../../schemas/accounts.ts";
import { mostBatchItems } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { type BatchItem, batch, byId, type Request } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { failed, type Outcome, passed } from "../requirements/outcome.ts";
import {
  countersOf,
  entriesUnderErrors,
  isSameItem,
  itemsSent,
  listsErrors,
} from "../response/batch-result.ts";
import { actual } from "../response/body-findings.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import type { CheckContext } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import {
  browsedProducts,
  itemOf,
  knownItems,
  manyItems,
  sendBatch,
  unknownProduct,
  unknownProducts,
  variedItems,
} from "./check/inputs.ts";
import { identityDifference } from "./check/product-comparison.ts";
import { type StatusRow, section } from "./check/rows.ts";

const largest = mostBatchItems;
/** Most items, including one of each kind of id. */
const mostAtOnce = 30;

/** Spec, POST /v1/products/batch-lookup. Passive rules judge lists, counters and echoes: rules/batch-responses.ts. */
export default section("batch", [
  {
    id: "batch.lookup/known-products",
    title: "A batch of known products returns all of them",
    requests: 1,
    run: allFound,
  },
  {
    id: "batch.lookup/duplicates",
    title: "A batch that names a product twice returns 200 or 400",
    good: async (context) => of([...knownItems(context, 1), itemOf(await unknownProduct(context))], context),
    async bad(context) {
      const [known] = knownItems(context, 1);
      return {
        request: of([known, known, itemOf(await unknownProduct(context))], context),
        condition: "duplicate-item",
      };
    },
    expect: [200, 400],
    // A duplicate may count once or twice; a passive rule judges that the counters add up.
    unfit(exchange) {
      const { total, not_found: notFound } = countersOf(exchange);
      if (typeof total !== "number" || typeof notFound !== "number") return undefined;
      if (total < 2 || total > 3) return count("sent", "/meta/total", 3, total);
      return notFound === 1 ? undefined : count("unknown", "/meta/not_found", 1, notFound);
    },
  },
  {
    id: "batch-result.echo/to-the-letter",
    title: "Unknown ids are echoed under errors exactly as sent, digits as a string",
    requests: 2,
    run: echoedToTheLetter,
  },
  {
    id: "batch.partial/one-missing",
    title: "A batch with one unknown product returns 200 and lists it under errors",
    good: oneKnown,
    async bad(context) {
      const product = await unknownProduct(context);
      const request = of([...knownItems(context, 1), itemOf(product)], context);
      return { request, condition: "unknown-item", product };
    },
    expect: 200,
    // batch-result.echo judges whether the entry echoes its item, and batch-result.errors whether there is a list.
    unfit(exchange, _context, { product }) {
      if (listsErrors(exchange) && entriesUnderErrors(exchange).length === 0)
        return { code: "item-missing", product, path: "/errors" };
      const { not_found: notFound = 1 } = countersOf(exchange);
      return notFound === 1 ? undefined : count("unknown", "/meta/not_found", 1, notFound);
    },
  },
  {
    id: "batch.partial/all-missing",
    title: "A batch of unknown products alone returns 200",
    good: oneKnown,
    bad: async (context) => ({
      request: of((await unknownProducts(context, 3)).map(itemOf), context),
      condition: "only-unknown-items",
    }),
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
    title: `A batch of ${largest} items returns 200`,
    good: oneKnown,
    bad: (context) => ofSize(largest, variedItems(context, largest), context),
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
      const all = ofSize(largest + 1, variedItems(context, largest + 1), context);
      const fifty = manyItems(variedItems(context, largest), largest);
      return [all, { ...all, request: of([...fifty, ...fifty.slice(0, 1)], context) }];
    },
    expect: 400,
  },
  malformed("not-json", "A body that is not JSON", () => "{"),
  malformed("no-list", "A body without the list of items", () => "{}"),
  malformed("text-for-list", "A string in place of the list of items", (field) =>
    JSON.stringify(field === "" ? "x" : { [field]: "x" }),
  ),
  {
    id: "batch.malformed/incomplete-item",
    title: "An item without a product_id is refused or listed under errors, never found",
    good: oneKnown,
    bad(context) {
      const [{ retailer }] = knownItems(context, 1);
      const request = batch([{ retailer }], need(context.fixtures.batch));
      return { request, condition: "incomplete-item" };
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

function malformed(name: string, title: string, body: (field: string) => string): StatusRow {
  return {
    id: `batch.malformed/${name}`,
    title: `${title} returns 400`,
    good: oneKnown,
    bad(context) {
      const request = { ...oneKnown(context), body: body(need(context.fixtures.batch).batchRequestField) };
      return { request, condition: "malformed-batch", subject: name };
    },
    expect: 400,
  };
}

async function allFound(context: CheckContext): Promise<Outcome> {
  const items = variedItems(context, mostAtOnce);
  const { batch: fieldNames } = context.fixtures;
  const missing = fieldNames.present ? undefined : fieldNames.missing;
  // An endpoint that a client can use does not return this status for every form of the body.
  if (missing?.code === "batch-not-understood" && missing.details.status !== undefined) {
    const exchange = await context.ask(batch(items, { batchRequestField: "items" }));
    return hasStatus(exchange, 200, { condition: "every-batch-form" });
  }
  const exchange = await sendBatch(of(items, context), context.ask);
  const status = hasStatus(exchange, 200, { condition: "known-items", details: { items: items.length } });
  if (status.kind !== "pass") return status;
  const found = productsIn(exchange, context.fieldNames);
  const ids = new Set(found.map(({ product }) => product.product_id));
  // Products may lack their id. If all have one, each requested id must be among them.
  const isNamed = !ids.has(undefined);
  const absent = isNamed ? items.filter((item) => !ids.has(item.product_id)) : [];
  const lost = await lostIn(absent, context);
  if (lost !== undefined) return failed(lost, exchange);
  // Two retailers may have the same id, of which one is missing.
  if (found.length !== items.length - absent.length) {
    const list = pointer(context.fieldNames.batchFoundField ?? "");
    return failed(count("known", list, items.length, found.length), exchange);
  }
  for (const { path, product } of found) {
    const known = context.fixtures.products.find((one) => isSameItem(itemOf(one), product));
    const difference = known && identityDifference(known.product, product, path);
    if (difference !== undefined) return failed({ ...difference, ...identityOf(product) }, exchange);
  }
  return passed({ code: "checked", seen: { count: found.length, of: "products" } }, exchange);
}

// A service may trim blanks at the ends, but must not change any of these.
const plainIds = ["0012345", "12345678", "AbC-xYz", "1e5"] as const;
const oddIds = [
  ...plainIds,
  "12345678901234567890",
  "-0",
  "true",
  "null",
  "a/b?c=d&e#f;g",
  "50%25+1",
  `"it's"`,
  "\\u0041",
  "ÄÖ-e\u0301-\u00e9",
  "😀",
] as const;

async function echoedToTheLetter(context: CheckContext): Promise<Outcome> {
  const [known] = knownItems(context, 1);
  await context.control(of([known], context));
  const withIds = async (ids: readonly string[]): Promise<Exchange> => {
    const items = ids.map((id) => ({ retailer: known.retailer, product_id: id }));
    return await context.ask(of([known, ...items], context));
  };
  // A service may reject the whole batch because of the form of an id; then plainer ids are sent.
  const odd = await withIds(oddIds);
  const exchange = odd.response.status === 200 ? odd : await withIds(plainIds);
  const { status } = exchange.response;
  if (status !== 200) return passed({ code: "answered", actual: status }, exchange);
  if (!listsErrors(exchange))
    return passed({ code: "judged-elsewhere", subject: "batch-result.errors" }, exchange);
  const items = itemsSent(exchange).slice(1);
  const entries = entriesUnderErrors(exchange);
  const found = productsIn(exchange, context.fieldNames).map(({ product }) => product.product_id);
  const named = new Set<unknown>([...found, ...entries.map((entry) => entry.product_id)]);
  const missing = items.find(({ product_id: id }) => !named.has(id));
  if (missing === undefined)
    return passed({ code: "checked", seen: { count: items.length, of: "items" } }, exchange);
  // An entry that matches no item belongs to one that was spelled differently.
  const unrequested = entries.find((entry) => !items.some(({ product_id: id }) => entry.product_id === id));
  const { retailer } = known;
  return failed(
    unrequested === undefined
      ? {
          code: "item-missing",
          product: { retailer, productId: String(missing.product_id) },
          path: "/errors",
        }
      : itemNotSent(pointer("errors", entries.indexOf(unrequested)), unrequested),
    exchange,
  );
}

/** Most items to look up alone, of those that a batch does not find. */
const mostAlone = 3;

/** The first of these items that a lookup by id finds. */
async function lostIn(
  items: readonly { readonly retailer?: unknown; readonly product_id?: unknown }[],
  context: CheckContext,
): Promise<Finding | undefined> {
  const known = browsedProducts(context).filter((one) => items.some((item) => isSameItem(item, itemOf(one))));
  for (const { retailer, productId } of known.slice(0, mostAlone))
    if ((await context.shared(byId(retailer, productId))).response.status === 200)
      return { code: "item-missing", product: { retailer, productId }, condition: "known-items" };
  return undefined;
}

type Counted = NonNullable<FindingOf<"wrong-count">["details"]>["counted"];

/** The finding on a wrong count of items sent, found or not found. */
function count(counted: Counted, path: string, expected: number, seen: unknown): Finding {
  return { code: "wrong-count", path, expected, ...actual(seen), details: { counted } };
}
