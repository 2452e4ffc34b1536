import type { Exchange } from "../../../conformance/client/exchange.ts";
import { exchangeOf } from "../stub-exchange.ts";
import { type ExamplesByRule, goodProduct } from "./example.ts";

const known = { retailer: "acme", product_id: "A1" };
const unknown = { retailer: "acme", product_id: "A2" };
const counters = (total: number, found: number, not_found: number) => ({
  total,
  found,
  not_found,
  other_errors: 0,
});
const good = {
  products: [goodProduct],
  errors: [{ ...unknown, code: "not_found" }],
  meta: counters(2, 1, 1),
};

/** A batch exchange with this result. By default a known and an unknown item were sent. */
function batch(result: unknown, sent: unknown = { items: [known, unknown] }): Exchange {
  return exchangeOf("batch", result, {
    requestBody: typeof sent === "string" ? sent : JSON.stringify(sent),
  });
}

const changed = (change: object) => batch({ ...good, ...change });
const counted = (change: object) => changed({ meta: { ...good.meta, ...change } });

export const batchExamples: ExamplesByRule = {
  "batch-result.found/every-batch": {
    passes: [batch(good), changed({ products: [] })],
    fails: [changed({ products: undefined }), changed({ products: null }), changed({ products: {} })],
  },
  "batch-result.errors/every-batch": {
    passes: [batch(good), changed({ errors: [] })],
    fails: [changed({ errors: undefined }), changed({ errors: null }), changed({ errors: {} })],
  },
  "batch-result.counters/every-batch": {
    // Another rule judges whether counters add up.
    passes: [batch(good), counted({ total: 9 })],
    fails: [
      counted({ other_errors: undefined }),
      counted({ found: null, total: -1 }),
      counted({ not_found: "1" }),
      counted({ total: 1.5 }),
      changed({ meta: undefined }),
    ],
  },
  "batch-result.echo/every-batch": {
    passes: [
      batch(good),
      changed({ errors: [] }),
      // The request field of the items may have any name.
      batch(good, { lookups: [known, unknown], note: "x" }),
      batch(good, [known, unknown]),
      // A field that was not sent cannot be echoed.
      batch({ ...good, errors: [{ retailer: "acme" }] }, [{ retailer: "acme" }]),
      batch({ ...good, errors: [{ retailer: "acme", product_id: null }] }, [{ retailer: "acme" }]),
      // Other types than an array of objects are judged by batch-result.errors.
      changed({ errors: undefined }),
      changed({ errors: ["not_found", unknown] }),
    ],
    fails: [
      changed({ errors: [{ code: "not_found" }] }),
      changed({ errors: [unknown, { retailer: "acme", product_id: "A3" }] }),
      // retailer and product_id of different items.
      batch({ ...good, errors: [{ retailer: "bolt", product_id: "A2" }] }, [
        { retailer: "bolt", product_id: "B1" },
        unknown,
      ]),
      // A field that was not sent is filled.
      batch({ ...good, errors: [unknown] }, [{ retailer: "acme" }]),
    ],
  },
  "batch.summary/every-batch": {
    passes: [
      batch(good),
      batch({ products: [], errors: [], meta: counters(0, 0, 0) }, []),
      // An item that was sent twice may be listed once or twice.
      batch({ ...good, errors: [], meta: counters(2, 2, 0) }, [known, known]),
      batch({ ...good, products: [], meta: counters(2, 0, 2) }, [unknown, unknown]),
      // Missing counters and arrays are judged by other rules.
      counted({ found: null }),
      changed({ products: undefined, errors: undefined }),
      changed({ meta: undefined }),
    ],
    fails: [
      counted({ total: 3 }),
      counted({ found: 2, not_found: 0 }),
      counted({ total: 3, other_errors: 1 }),
      // The result of a malformed batch that was accepted as an empty one is judged too.
      batch({ products: [], errors: [], meta: counters(1, 0, 0) }, "{"),
    ],
  },
};
