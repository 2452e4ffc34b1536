import type { Exchange } from "../../../conformance/client/exchange.ts";
import { exchangeOf } from "../stub-exchange.ts";
import { examplesOf, goodProduct } from "./example.ts";

const known = { retailer: "acme", product_id: "A1" };
const unknown = { retailer: "acme", product_id: "A2" };
const counters = (total: number, found: number, not_found: number) => ({
  ...{ total, found, not_found },
  other_errors: 0,
});
const good = {
  products: [goodProduct],
  errors: [{ ...unknown, code: "not_found" }],
  meta: counters(2, 1, 1),
};

/** A batch exchange with this result. By default a known and an unknown item were sent. */
function batch(result: unknown, sent: unknown = { items: [known, unknown] }): Exchange {
  const requestBody = typeof sent === "string" ? sent : JSON.stringify(sent);
  return exchangeOf("batch", result, { requestBody });
}

/** The result that a batch of a known and an unknown item gets, with a change. */
const changed = (change: object) => batch({ ...good, ...change });
const counted = (change: object) => ({ meta: { ...good.meta, ...change } });

/** A batch of these items, whose result lists what was found and what was not. */
const listed = (found: object[], errors: object[], sent: unknown, total = found.length + errors.length) =>
  batch({ products: found, errors, meta: counters(total, found.length, errors.length) }, sent);

export const batchExamples = examplesOf(changed, {
  "batch-result.found/every-batch": {
    passes: [{}, { products: [] }],
    fails: [{ products: undefined }, { products: null }, { products: {} }],
  },
  "batch-result.errors/every-batch": {
    passes: [{}, { errors: [] }],
    fails: [{ errors: undefined }, { errors: null }, { errors: {} }],
  },
  "batch-result.counters/every-batch": {
    // Another rule judges whether counters add up.
    passes: [{}, counted({ total: 9 })],
    fails: [
      ...[counted({ other_errors: undefined }), counted({ found: null, total: -1 })],
      ...[counted({ not_found: "1" }), counted({ total: 1.5 }), { meta: undefined }],
    ],
  },
  "batch-result.echo/every-batch": {
    passes: [
      ...[{}, { errors: [] }],
      // The request field of the items may have any name.
      batch(good, { lookups: [known, unknown], note: "x" }),
      batch(good, [known, unknown]),
      // A field that was not sent cannot be echoed.
      batch({ ...good, errors: [{ retailer: "acme" }] }, [{ retailer: "acme" }]),
      batch({ ...good, errors: [{ retailer: "acme", product_id: null }] }, [{ retailer: "acme" }]),
      // Other types than an array of objects are judged by batch-result.errors.
      ...[{ errors: undefined }, { errors: ["not_found", unknown] }],
    ],
    fails: [
      { errors: [{ code: "not_found" }] },
      { errors: [unknown, { retailer: "acme", product_id: "A3" }] },
      // retailer and product_id of different items.
      listed([], [{ ...unknown, retailer: "bolt" }], [{ retailer: "bolt", product_id: "B1" }, unknown]),
      // A field that was not sent is filled.
      batch({ ...good, errors: [unknown] }, [{ retailer: "acme" }]),
    ],
  },
  "batch.lookup/every-batch": {
    passes: [
      listed([goodProduct], [], { items: [known] }),
      listed([goodProduct, goodProduct], [], [{ ...known, product_id: "A0" }, known]),
      batch({ products: [{ title: "Lamp" }] }, [known]),
    ],
    fails: [
      listed([goodProduct], [], [unknown]),
      // retailer and product_id of different items.
      listed([{ title: "Lamp" }, goodProduct], [], [{ ...known, retailer: "bolt" }, unknown]),
    ],
    notApplicable: [listed([], [], [known])],
  },
  "batch.summary/every-batch": {
    passes: [
      {},
      listed([], [], []),
      // An item that was sent twice may be listed once or twice.
      batch({ ...good, errors: [], meta: counters(2, 2, 0) }, [known, known]),
      batch({ ...good, products: [], meta: counters(2, 0, 2) }, [unknown, unknown]),
      // Missing counters and arrays are judged by other rules.
      ...[counted({ found: null }), { products: undefined, errors: undefined }, { meta: undefined }],
    ],
    fails: [
      ...[counted({ total: 3 }), counted({ found: 2, not_found: 0 }), counted({ total: 3, other_errors: 1 })],
      // The item that was sent twice is in the other list.
      batch({ ...good, errors: [unknown, unknown], meta: counters(3, 2, 1) }, [known, known, unknown]),
      // The result of a malformed batch that was accepted as an empty one is judged too.
      listed([], [], "{", 1),
    ],
  },
  "batch.summary/every-item": {
    passes: [
      listed([goodProduct], [unknown], [known, unknown]),
      // An item that was sent twice may count and be listed once or twice.
      listed([goodProduct], [], [known, known]),
      listed([goodProduct], [], [known, known], 2),
      listed([goodProduct, goodProduct], [], [known, known]),
      // Entries that were not sent, or that name no item, are judged by other rules.
      listed([goodProduct], [{ retailer: "acme", product_id: "a2" }], [known, unknown]),
    ],
    fails: [
      listed([goodProduct, goodProduct], [], [known], 1),
      listed([goodProduct], [known, unknown], [known, unknown], 2),
      listed([goodProduct], [], [known, unknown]),
      listed([goodProduct], [], [known], 2),
    ],
    notApplicable: [
      listed([goodProduct, { title: "Lamp" }], [], [known]),
      listed([goodProduct], [], [known, null]),
      ...[{ errors: ["not_found"] }, listed([], [], "{"), listed([], [], [])],
    ],
  },
});
