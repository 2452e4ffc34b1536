import { itemNotSent } from "../../schemas/accounts.ts";
import { mostBatchItems } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, type Outcome, passed } from "../client/outcome.ts";
import { type BatchItem, batch } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { countersOf, entriesUnderErrors, listsErrors } from "../response/batch-result.ts";
import { actual } from "../response/body-findings.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import { type Check, section } from "./check/check.ts";
import { type FindingContext, hasStatus } from "./check/expectations.ts";
import { knownItems, manyItems, sendBatch, unknownItem, unknownItems, variedItems } from "./check/inputs.ts";
import { identityDifference } from "./check/product-comparison.ts";

const largest = mostBatchItems;
/** Items of one batch: one of each retailer, where possible. */
const knownAtOnce = 8;
/** Most items, including one of each kind of id. */
const mostAtOnce = 30;

/** Spec, POST /v1/products/batch-lookup. Passive rules judge lists, counters and echoes: rules/batch-responses.ts. */
export default section("batch", [
  {
    id: "batch.lookup/known-products",
    title: "A batch of known products returns all of them",
    requests: 1,
    async run(context) {
      const items = variedItems(context, mostAtOnce);
      const { batch: fieldNames } = context.fixtures;
      const missing = fieldNames.present ? undefined : fieldNames.missing;
      // An endpoint that a client can use does not return this status for every form of the body.
      if (missing?.code === "batch-not-understood" && missing.details.status !== undefined) {
        const exchange = await context.ask(batch(items, { batchRequestField: "items" }));
        return hasStatus(exchange, 200, { condition: "every-batch-form" });
      }
      const exchange = await sendBatch(batch(items, need(context.fixtures.batch)), context.ask);
      const status = hasStatus(exchange, 200, { condition: "known-items", details: { items: items.length } });
      if (status.kind !== "pass") return status;
      const found = productsIn(exchange, context.fieldNames);
      const { batchFoundField = "" } = context.fieldNames;
      if (found.length !== items.length)
        return failed(count("known", pointer(batchFoundField), items.length, found.length), exchange);
      for (const { path, product } of found) {
        const known = context.fixtures.products.find(
          ({ retailer, productId }) => retailer === product.retailer && productId === product.product_id,
        );
        const difference = known && identityDifference(known.product, product, path);
        if (difference !== undefined) return failed({ ...difference, ...identityOf(product) }, exchange);
      }
      const ids = found.map(({ product }) => product.product_id);
      // Products may lack their id. If all have one, each requested id must be among them.
      const lost = ids.includes(undefined)
        ? undefined
        : items.find(({ product_id: id }) => !ids.includes(id));
      return lost === undefined
        ? passed({ code: "checked", seen: { count: found.length, of: "products" } }, exchange)
        : failed({ ...itemMissing(lost), condition: "known-items" }, exchange);
    },
  },
  {
    id: "batch.lookup/duplicates",
    title: "A batch that names a product twice returns 200 or 400",
    requests: 2,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const [known] = knownItems(context, 1);
      const missing = await unknownItem(context);
      const succeeds = await context.control(batch([known, missing], fieldNames));
      const exchange = await context.ask(batch([known, known, missing], fieldNames));
      const status = hasStatus(exchange, [200, 400], { condition: "duplicate-item" }, succeeds);
      const { total, not_found: notFound } = countersOf(exchange);
      if (status.kind !== "pass" || typeof total !== "number" || typeof notFound !== "number") return status;
      // A duplicate may count once or twice; a passive rule judges that the counters add up.
      if (total < 2 || total > 3) return failed(count("sent", "/meta/total", 3, total), exchange, succeeds);
      return notFound === 1
        ? status
        : failed(count("unknown", "/meta/not_found", 1, notFound), exchange, succeeds);
    },
  },
  {
    id: "batch-result.echo/to-the-letter",
    title: "Unknown ids are echoed under errors exactly as sent, digits as a string",
    requests: 4,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const [known] = knownItems(context, 1);
      await context.control(batch([known], fieldNames));
      // A service may reject the whole batch because of the form of an id; then plainer ids are sent.
      let exchange: Exchange | undefined;
      let items: BatchItem[] = [];
      for (const ids of [oddIds, plainIds]) {
        items = ids.map((id) => ({ retailer: known.retailer, product_id: id }));
        exchange = await context.ask(batch([known, ...items], fieldNames));
        if (exchange.response.status === 200) break;
      }
      if (exchange === undefined || exchange.response.status !== 200)
        return passed(
          { code: "answered", actual: exchange?.response.status ?? 0 },
          ...(exchange ? [exchange] : []),
        );
      if (!listsErrors(exchange))
        return passed({ code: "judged-elsewhere", subject: "batch-result.errors" }, exchange);
      const entries = entriesUnderErrors(exchange);
      const found = productsIn(exchange, context.fieldNames);
      const isNamed = (id: string) =>
        entries.some((entry) => entry.product_id === id) ||
        found.some(({ product }) => product.product_id === id);
      // An entry that matches no item belongs to one that was spelled differently.
      const unrequested = entries.find(
        (entry) => !items.some(({ product_id: id }) => entry.product_id === id),
      );
      const missing = items.find(({ product_id: id }) => !isNamed(id));
      if (missing === undefined)
        return passed({ code: "checked", seen: { count: items.length, of: "items" } }, exchange);
      return failed(
        unrequested === undefined
          ? { ...itemMissing(missing), path: "/errors" }
          : itemNotSent(pointer("errors", entries.indexOf(unrequested)), unrequested),
        exchange,
      );
    },
  },
  {
    id: "batch.partial/one-missing",
    title: "A batch with one unknown product returns 200 and lists it under errors",
    requests: 2,
    async run(context) {
      const [known] = knownItems(context, 1);
      const missing = await unknownItem(context);
      const fieldNames = need(context.fixtures.batch);
      const succeeds = await context.control(batch([known], fieldNames));
      const exchange = await context.shared(batch([known, missing], fieldNames));
      const status = hasStatus(exchange, 200, { condition: "unknown-item" }, succeeds);
      if (status.kind !== "pass") return status;
      // batch-result.echo judges whether the entry echoes its item, and batch-result.errors whether there is a list.
      if (listsErrors(exchange) && entriesUnderErrors(exchange).length === 0)
        return failed({ ...itemMissing(missing), path: "/errors" }, exchange);
      const { not_found: notFound } = countersOf(exchange);
      return notFound === undefined || notFound === 1
        ? passed({ code: "item-reported", path: "/errors" }, exchange)
        : failed(count("unknown", "/meta/not_found", 1, notFound), exchange);
    },
  },
  {
    id: "batch.partial/all-missing",
    title: "A batch of unknown products alone returns 200",
    requests: 2,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 1), fieldNames));
      const missing = await unknownItems(context, 3);
      const exchange = await context.ask(batch(missing, fieldNames));
      const status = hasStatus(exchange, 200, { condition: "only-unknown-items" }, succeeds);
      if (status.kind !== "pass" || !listsErrors(exchange)) return status;
      const { length } = entriesUnderErrors(exchange);
      return length === missing.length
        ? status
        : failed(count("unknown", "/errors", missing.length, length), exchange, succeeds);
    },
  },
  {
    id: "batch.summary/total",
    title: "meta.total is the number of items sent",
    requests: 1,
    async run(context) {
      const items = [...knownItems(context, 2), ...(await unknownItems(context, 2))];
      const exchange = await context.ask(batch(items, need(context.fixtures.batch)));
      const { total } = countersOf(exchange);
      // Missing counters are judged by batch-result.counters.
      return exchange.response.status !== 200 || total === undefined || total === items.length
        ? passed({ code: "checked", seen: { count: items.length, of: "items" } }, exchange)
        : failed(count("sent", "/meta/total", items.length, total), exchange);
    },
  },
  {
    id: "batch.size/one",
    title: "A batch of one item returns 200",
    requests: 2,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 2), fieldNames));
      const exchange = await context.shared(batch(knownItems(context, 1), fieldNames));
      return hasStatus(exchange, 200, batchOf(1), succeeds);
    },
  },
  {
    id: "batch.size/fifty",
    title: `A batch of ${largest} items returns 200`,
    requests: 2,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 1), fieldNames));
      const known = variedItems(context, largest);
      const exchange = await sendBatch(batch(manyItems(known, largest), fieldNames), context.ask);
      const status = hasStatus(exchange, 200, batchOf(largest), succeeds);
      if (status.kind !== "pass" || !listsErrors(exchange)) return status;
      const entries = entriesUnderErrors(exchange);
      const accounted = productsIn(exchange, context.fieldNames).length + entries.length;
      if (accounted !== largest)
        return failed(count("accounted", "", largest, accounted), exchange, succeeds);
      const lost = known.filter((item) =>
        entries.some((entry) => entry.product_id === item.product_id && entry.retailer === item.retailer),
      );
      const [first] = lost;
      if (first !== undefined && Number(countersOf(exchange).not_found) > 0) {
        // A product that left the catalog is not found in a small batch either.
        const alone = await context.ask(batch(lost.slice(0, knownAtOnce), fieldNames));
        const found = productsIn(alone, context.fieldNames).map(({ product }) => product.product_id);
        const item = lost.find(({ product_id: id }) => found.includes(id)) ?? first;
        if (found.length > 0)
          return failed({ ...itemMissing(item), condition: "known-items" }, exchange, alone);
      }
      return passed({ code: "checked", seen: { count: accounted, of: "items" } }, exchange, succeeds);
    },
  },
  {
    id: "batch.over-size/fifty-one",
    title: `A batch of ${largest + 1} items returns 400`,
    requests: 2,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 1), fieldNames));
      const exchange = await context.ask(
        batch(manyItems(variedItems(context, largest + 1), largest + 1), fieldNames),
      );
      return hasStatus(exchange, 400, batchOf(largest + 1), succeeds);
    },
  },
  {
    id: "batch.over-size/with-a-repeat",
    title: `A batch of ${largest + 1} items, of which two are the same, returns 400`,
    requests: 2,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 1), fieldNames));
      const [first, ...others] = manyItems(variedItems(context, largest), largest);
      const exchange = await context.ask(batch([first, ...others, first], fieldNames));
      return hasStatus(exchange, 400, batchOf(largest + 1), succeeds);
    },
  },
  malformed("not-json", "A body that is not JSON", "{"),
  malformed("no-list", "A body without the list of items", "{}"),
  malformed("text-for-list", "A string in place of the list of items", (field) =>
    JSON.stringify(field === "" ? "x" : { [field]: "x" }),
  ),
  {
    id: "batch.malformed/incomplete-item",
    title: "An item without a product_id is refused or listed under errors, never found",
    requests: 2,
    async run(context) {
      const fieldNames = need(context.fixtures.batch);
      const [known] = knownItems(context, 1);
      const succeeds = await context.control(batch([known], fieldNames));
      const exchange = await context.ask(batch([{ retailer: known?.retailer }], fieldNames));
      const status = hasStatus(exchange, [200, 400], { condition: "incomplete-item" }, succeeds);
      if (status.kind !== "pass" || exchange.response.status === 400) return status;
      if (productsIn(exchange, context.fieldNames).length > 0) {
        return failed(
          { ...unexpected, path: productsIn(exchange, context.fieldNames)[0]?.path ?? "" },
          exchange,
          succeeds,
        );
      }
      return !listsErrors(exchange) || entriesUnderErrors(exchange).length > 0
        ? passed({ code: "item-reported", path: "/errors" }, exchange, succeeds)
        : failed({ code: "item-missing", condition: "incomplete-item", path: "/errors" }, exchange, succeeds);
    },
  },
]);

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

const unexpected: FindingOf<"item-unexpected"> = { code: "item-unexpected", condition: "incomplete-item" };

function batchOf(items: number): FindingContext {
  return { condition: "batch-size", details: { items } };
}

function itemMissing({ retailer, product_id: productId }: BatchItem): FindingOf<"item-missing"> {
  return { code: "item-missing", product: { retailer, productId } };
}

type Counted = NonNullable<FindingOf<"wrong-count">["details"]>["counted"];

/** The finding on a wrong count of items sent, found or not found. */
function count(counted: Counted, path: string, expected: number, seen: unknown): Finding {
  return { code: "wrong-count", path, expected, ...actual(seen), details: { counted } };
}

function malformed(name: string, title: string, body: string | ((field: string) => string)): Check {
  return {
    id: `batch.malformed/${name}`,
    title: `${title} returns 400`,
    requests: 2,
    async run(context): Promise<Outcome> {
      const fieldNames = need(context.fixtures.batch);
      const request = batch(knownItems(context, 1), fieldNames);
      const succeeds = await context.control(request);
      const spoiled = typeof body === "string" ? body : body(fieldNames.batchRequestField);
      return hasStatus(
        await context.ask({ ...request, body: spoiled }),
        400,
        { condition: "malformed-batch", subject: name },
        succeeds,
      );
    },
  };
}
