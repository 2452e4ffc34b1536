import type { Exchange } from "../../client/exchange.ts";
import { errorOf, exchangeOf } from "../../testing/stub-exchange.ts";
import { type ExamplesByRule, goodProduct, lookup } from "./example.ts";

const known = { retailer: "acme", product_id: "A1" };
const missing = { retailer: "acme", product_id: "A2" };
const good = {
  products: [goodProduct],
  errors: [{ ...missing, code: "not_found" }],
  meta: { total: 2, found: 1, not_found: 1, other_errors: 0 },
};

/** A batch with this result; it sent the known item and the missing one unless other ones are given. */
function batch(result: unknown, sent: unknown = { items: [known, missing] }): Exchange {
  return exchangeOf("batch", result, {
    requestBody: typeof sent === "string" ? sent : JSON.stringify(sent),
  });
}

const changed = (change: object) => batch({ ...good, ...change });
const counted = (change: object) => changed({ meta: { ...good.meta, ...change } });
const silent = [
  errorOf(400, "bad_request", { endpoint: "batch", requestBody: "{" }),
  lookup(goodProduct),
  batch([goodProduct]),
] as const;

export const batchExamples: ExamplesByRule = {
  "batch-result.found/every-batch": {
    holds: [batch(good), changed({ products: [] })],
    breaks: [
      [changed({ products: undefined }), "products is missing"],
      [changed({ products: null }), "products is null"],
      [changed({ products: {} }), "products is {}"],
    ],
    silent,
  },
  "batch-result.errors/every-batch": {
    holds: [batch(good), changed({ errors: [] })],
    breaks: [
      [changed({ errors: undefined }), "errors is missing"],
      [changed({ errors: null }), "errors is null"],
      [changed({ errors: {} }), "errors is {}"],
    ],
    silent,
  },
  "batch-result.counters/every-batch": {
    // That they add up is another rule's business.
    holds: [batch(good), counted({ total: 9 })],
    breaks: [
      [counted({ other_errors: undefined }), "meta.other_errors is missing"],
      [counted({ found: null, total: -1 }), "meta.total is -1", "meta.found is null"],
      [counted({ not_found: "1" }), 'meta.not_found is "1"'],
      [counted({ total: 1.5 }), "meta.total is 1.5"],
      [
        changed({ meta: undefined }),
        "meta.total is missing",
        "meta.found is missing",
        "meta.not_found is missing",
        "meta.other_errors is missing",
      ],
    ],
    silent,
  },
  "batch-result.echo/every-batch": {
    holds: [
      batch(good),
      changed({ errors: [] }),
      // The name of the list that was sent is the target's dialect, and so is its absence.
      batch(good, { lookups: [known, missing], note: "x" }),
      batch(good, [known, missing]),
      // What was not sent cannot be echoed.
      batch({ ...good, errors: [{ retailer: "acme" }] }, [{ retailer: "acme" }]),
      batch({ ...good, errors: [{ retailer: "acme", product_id: null }] }, [{ retailer: "acme" }]),
    ],
    breaks: [
      [
        changed({ errors: [{ code: "not_found" }] }),
        "errors[0] has retailer missing and product_id missing: no item that was sent",
      ],
      [
        changed({ errors: [missing, { retailer: "acme", product_id: "A3" }] }),
        'errors[1] has retailer "acme" and product_id "A3": no item that was sent',
      ],
      [
        // Each from another item.
        batch({ ...good, errors: [{ retailer: "bolt", product_id: "A2" }] }, [
          { retailer: "bolt", product_id: "B1" },
          missing,
        ]),
        'errors[0] has retailer "bolt" and product_id "A2": no item that was sent',
      ],
    ],
    silent,
  },
  "batch.summary/every-batch": {
    holds: [
      batch(good),
      batch({ products: [], errors: [], meta: { total: 0, found: 0, not_found: 0, other_errors: 0 } }, []),
      // Whether an item that was sent twice is listed twice is not said.
      batch(
        { ...good, errors: [], meta: { total: 2, found: 2, not_found: 0, other_errors: 0 } },
        { items: [known, known] },
      ),
      // Counters that are none are another rule's business.
      counted({ found: null }),
      changed({ meta: undefined }),
    ],
    breaks: [
      [counted({ total: 3 }), "total 3 is not found 1 + not_found 1 + other_errors 0"],
      [
        counted({ found: 2, not_found: 0 }),
        "found is 2, and 1 products are listed",
        "not_found 0 + other_errors 0, and 1 entries under errors",
      ],
      [counted({ total: 3, other_errors: 1 }), "not_found 1 + other_errors 1, and 1 entries under errors"],
      // A body that is no JSON, taken for an empty batch: the rule judges the answer all the same.
      [
        batch({ products: [], errors: [], meta: { total: 1, found: 0, not_found: 0, other_errors: 0 } }, "{"),
        "total 1 is not found 0 + not_found 0 + other_errors 0",
      ],
    ],
    silent,
  },
};
