import { batch } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { Check } from "../engine/check.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { countersOf, entriesUnderErrors, listsErrors } from "../response/batch-answer.ts";
import { productsIn } from "../response/products-in.ts";
import { knownItems, manyItems, missingItem, missingItems } from "./batch-items.ts";
import { hasStatus } from "./expectations.ts";
import { identityDifference } from "./product-comparison.ts";

/** Spec, Limits: "at most 50 items". */
const largest = 50;
const isNoEndpoint: ReadonlySet<number> = new Set([404, 405, 410, 501]);
/** Known products in one batch: one of each retailer, where there are not more of those. */
const knownAtOnce = 8;

/** Spec, POST /v1/products/batch-lookup. Lists, counters and echoes are held by the passive rules in rules/batch-answers.ts. */
export default section("batch", [
  {
    id: "batch.lookup/known-products",
    requirement: "batch.lookup",
    title: "Known products are found by a batch",
    requests: 1,
    async run(context) {
      const items = knownItems(context, knownAtOnce);
      const { batch: dialect, batchRefusals } = context.fixtures;
      // Whatever the names of its fields, an endpoint that is there does not answer so to every form.
      if (
        !dialect.present &&
        batchRefusals.length > 0 &&
        batchRefusals.every((one) => isNoEndpoint.has(one))
      ) {
        const answer = await context.ask(batch(items, { batchRequestField: "items" }));
        return hasStatus(answer, 200, "no form of a batch with known products is taken");
      }
      const answer = await context.shared(batch(items, need(context.fixtures.batch)));
      const status = hasStatus(answer, 200, `${items.length} known products were asked for`);
      if (status.kind !== "pass") return status;
      const found = productsIn(answer, context.dialect);
      if (found.length !== items.length) {
        return failed(`${items.length} known products were asked for and ${found.length} found`, answer);
      }
      for (const { product } of found) {
        const known = context.fixtures.products.find(
          ({ retailer, productId }) => retailer === product.retailer && productId === product.product_id,
        );
        const difference = known && identityDifference(known.product, product);
        if (difference !== undefined)
          return failed(`another product than browsing showed: ${difference}`, answer);
      }
      const ids = found.map(({ product }) => product.product_id);
      // A product need not carry its id; where all do, each one asked for must be among them.
      const missing = ids.includes(undefined)
        ? undefined
        : items.find(({ product_id: id }) => !ids.includes(id));
      return missing === undefined
        ? passed(`${found.length} products`)
        : failed(
            `${missing.retailer} / ${missing.product_id} was asked for and another product given`,
            answer,
          );
    },
  },
  {
    id: "batch.lookup/duplicates",
    requirement: "batch.lookup",
    title: "A batch that names a product twice is answered, or refused with 400",
    requests: 2,
    async run(context) {
      const dialect = need(context.fixtures.batch);
      const [known] = knownItems(context, 1);
      const missing = await missingItem(context);
      const succeeds = await context.control(batch([known, missing], dialect));
      const answer = await context.ask(batch([known, known, missing], dialect));
      // Whether twice counts as once is not said; that the counters add up is the passive rule's business.
      return hasStatus(answer, [200, 400], "an item stands twice", succeeds);
    },
  },
  {
    id: "batch.partial/one-missing",
    requirement: "batch.partial",
    title: "A batch with one unknown product is answered with 200, and lists it under errors",
    requests: 2,
    async run(context) {
      const [known] = knownItems(context, 1);
      const missing = await missingItem(context);
      const dialect = need(context.fixtures.batch);
      const succeeds = await context.control(batch([known], dialect));
      const answer = await context.ask(batch([known, missing], dialect));
      const status = hasStatus(answer, 200, "one of two items is not found", succeeds);
      if (status.kind !== "pass") return status;
      // Whether an entry echoes its item is another requirement's (batch-result.echo), and so is a missing list.
      if (listsErrors(answer) && entriesUnderErrors(answer).length === 0) {
        return failed(
          `the unknown item is not listed under errors: ${missing.retailer} / ${missing.product_id}`,
          answer,
        );
      }
      const { not_found: notFound } = countersOf(answer);
      return notFound === undefined || notFound === 1
        ? passed()
        : failed(`one item is not found, and not_found is ${String(notFound)}`, answer);
    },
  },
  {
    id: "batch.partial/all-missing",
    requirement: "batch.partial",
    title: "A batch of unknown products only is answered with 200 too",
    requests: 2,
    async run(context) {
      const dialect = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 1), dialect));
      const missing = await missingItems(context, 3);
      const answer = await context.ask(batch(missing, dialect));
      const status = hasStatus(answer, 200, "not-found items give no error status", succeeds);
      if (status.kind !== "pass" || !listsErrors(answer)) return status;
      const { length } = entriesUnderErrors(answer);
      return length === missing.length
        ? status
        : failed(
            `${missing.length} items are not found, and ${length} listed under errors`,
            answer,
            succeeds,
          );
    },
  },
  {
    id: "batch.summary/total",
    requirement: "batch.summary",
    title: "total is the number of items that were sent",
    requests: 1,
    async run(context) {
      const items = [...knownItems(context, 2), ...(await missingItems(context, 2))];
      const answer = await context.ask(batch(items, need(context.fixtures.batch)));
      const { total } = countersOf(answer);
      // Counters that are missing are another requirement's (batch-result.counters).
      return answer.response.status !== 200 || total === undefined || total === items.length
        ? passed()
        : failed(`${items.length} items were sent, and total is ${String(total)}`, answer);
    },
  },
  {
    id: "batch.size/one",
    requirement: "batch.size",
    title: "A batch of one item is taken",
    requests: 2,
    async run(context) {
      const dialect = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 2), dialect));
      const answer = await context.ask(batch(knownItems(context, 1), dialect));
      return hasStatus(answer, 200, "one item is a batch too", succeeds);
    },
  },
  {
    id: "batch.size/fifty",
    requirement: "batch.size",
    title: `A batch of ${largest} items is taken`,
    requests: 2,
    async run(context) {
      const dialect = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 1), dialect));
      const answer = await context.ask(batch(manyItems(context, largest), dialect));
      const status = hasStatus(answer, 200, `${largest} items are allowed`, succeeds);
      if (status.kind !== "pass" || !listsErrors(answer)) return status;
      const accounted = productsIn(answer, context.dialect).length + entriesUnderErrors(answer).length;
      return accounted === largest
        ? passed(`${accounted} items accounted for`)
        : failed(`${largest} items were sent, and ${accounted} are found or under errors`, answer, succeeds);
    },
  },
  {
    id: "batch.over-size/fifty-one",
    requirement: "batch.over-size",
    title: `A batch of ${largest + 1} items gives 400`,
    requests: 2,
    async run(context) {
      const dialect = need(context.fixtures.batch);
      const succeeds = await context.control(batch(knownItems(context, 1), dialect));
      const answer = await context.ask(batch(manyItems(context, largest + 1), dialect));
      return hasStatus(answer, 400, `${largest} items are the most`, succeeds);
    },
  },
  malformed("not-json", "A body that is not JSON", "{"),
  malformed("no-list", "A body without the list", "{}"),
  malformed("text-for-list", "A text where the list belongs", (field) =>
    JSON.stringify(field === "" ? "x" : { [field]: "x" }),
  ),
  {
    id: "batch.malformed/incomplete-item",
    requirement: "batch.malformed",
    title: "An item without a product_id is refused or reported, and never found",
    requests: 2,
    async run(context) {
      const dialect = need(context.fixtures.batch);
      const [known] = knownItems(context, 1);
      const succeeds = await context.control(batch([known], dialect));
      const answer = await context.ask(batch([{ retailer: known?.retailer }], dialect));
      const status = hasStatus(answer, [200, 400], "an item lacks its product_id", succeeds);
      if (status.kind !== "pass" || answer.response.status === 400) return status;
      if (productsIn(answer, context.dialect).length > 0) {
        return failed("an item without product_id was found", answer, succeeds);
      }
      return !listsErrors(answer) || entriesUnderErrors(answer).length > 0
        ? passed("reported in the body")
        : failed("an item without product_id is neither refused nor listed under errors", answer, succeeds);
    },
  },
]);

function malformed(name: string, title: string, body: string | ((field: string) => string)): Check {
  return {
    id: `batch.malformed/${name}`,
    requirement: "batch.malformed",
    title: `${title} gives 400`,
    requests: 2,
    async run(context): Promise<Outcome> {
      const dialect = need(context.fixtures.batch);
      const request = batch(knownItems(context, 1), dialect);
      const succeeds = await context.control(request);
      const spoiled = typeof body === "string" ? body : body(dialect.batchRequestField);
      return hasStatus(await context.ask({ ...request, body: spoiled }), 400, title.toLowerCase(), succeeds);
    },
  };
}
