import type { Exchange } from "../../../conformance/client/exchange.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { errorOf, exchangeOf } from "../stub-exchange.ts";
import { type ExamplesByRule, goodProduct, isNull, lookup, missing, wrongType } from "./example.ts";

const known = { retailer: "acme", product_id: "A1" };
const unknown = { retailer: "acme", product_id: "A2" };
const good = {
  products: [goodProduct],
  errors: [{ ...unknown, code: "not_found" }],
  meta: { total: 2, found: 1, not_found: 1, other_errors: 0 },
};

/** A batch exchange with this result. By default a known and an unknown item were sent. */
function batch(result: unknown, sent: unknown = { items: [known, unknown] }): Exchange {
  return exchangeOf("batch", result, {
    requestBody: typeof sent === "string" ? sent : JSON.stringify(sent),
  });
}

const changed = (change: object) => batch({ ...good, ...change });
const counted = (change: object) => changed({ meta: { ...good.meta, ...change } });
const notApplicable = [
  errorOf(400, "bad_request", { endpoint: "batch", requestBody: "{" }),
  lookup(goodProduct),
  batch([goodProduct]),
] as const;

const noCount = (path: string, actual: number): Finding => ({
  code: "wrong-format",
  path,
  expected: "count",
  actual,
});

const notSent = (path: string, retailer: string, productId: string): Finding => ({
  code: "item-not-sent",
  path,
  actual: { retailer, product_id: productId },
  product: { retailer, productId },
});

function disagree(path: string, actual: number, counters: Readonly<Record<string, number>>): Finding {
  const expected = Object.values(counters).reduce((sum, count) => sum + count, 0);
  return { code: "counters-disagree", path, expected, actual, details: { counters } };
}

export const batchExamples: ExamplesByRule = {
  "batch-result.found/every-batch": {
    passes: [batch(good), changed({ products: [] })],
    fails: [
      [changed({ products: undefined }), missing("/products", "array")],
      [changed({ products: null }), isNull("/products")],
      [changed({ products: {} }), wrongType("/products", "array", {})],
    ],
    notApplicable,
  },
  "batch-result.errors/every-batch": {
    passes: [batch(good), changed({ errors: [] })],
    fails: [
      [changed({ errors: undefined }), missing("/errors", "array")],
      [changed({ errors: null }), isNull("/errors")],
      [changed({ errors: {} }), wrongType("/errors", "array", {})],
    ],
    notApplicable,
  },
  "batch-result.counters/every-batch": {
    // Another rule judges whether counters add up.
    passes: [batch(good), counted({ total: 9 })],
    fails: [
      [counted({ other_errors: undefined }), missing("/meta/other_errors", "number")],
      [counted({ found: null, total: -1 }), noCount("/meta/total", -1), isNull("/meta/found")],
      [counted({ not_found: "1" }), wrongType("/meta/not_found", "number", "1")],
      [counted({ total: 1.5 }), noCount("/meta/total", 1.5)],
      [
        changed({ meta: undefined }),
        missing("/meta/total", "number"),
        missing("/meta/found", "number"),
        missing("/meta/not_found", "number"),
        missing("/meta/other_errors", "number"),
      ],
    ],
    notApplicable,
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
      [
        changed({ errors: [{ code: "not_found" }] }),
        { code: "item-not-sent", path: "/errors/0", actual: {} },
      ],
      [
        changed({ errors: [unknown, { retailer: "acme", product_id: "A3" }] }),
        notSent("/errors/1", "acme", "A3"),
      ],
      [
        // retailer and product_id of different items.
        batch({ ...good, errors: [{ retailer: "bolt", product_id: "A2" }] }, [
          { retailer: "bolt", product_id: "B1" },
          unknown,
        ]),
        notSent("/errors/0", "bolt", "A2"),
      ],
      // A field that was not sent is filled.
      [batch({ ...good, errors: [unknown] }, [{ retailer: "acme" }]), notSent("/errors/0", "acme", "A2")],
    ],
    notApplicable,
  },
  "batch.summary/every-batch": {
    passes: [
      batch(good),
      batch({ products: [], errors: [], meta: { total: 0, found: 0, not_found: 0, other_errors: 0 } }, []),
      // An item that was sent twice may be listed once or twice.
      batch(
        { ...good, errors: [], meta: { total: 2, found: 2, not_found: 0, other_errors: 0 } },
        { items: [known, known] },
      ),
      batch(
        { ...good, products: [], meta: { total: 2, found: 0, not_found: 2, other_errors: 0 } },
        { items: [unknown, unknown] },
      ),
      // Missing counters and arrays are judged by other rules.
      counted({ found: null }),
      changed({ products: undefined, errors: undefined }),
      changed({ meta: undefined }),
    ],
    fails: [
      [counted({ total: 3 }), disagree("/meta/total", 3, { found: 1, not_found: 1, other_errors: 0 })],
      [
        counted({ found: 2, not_found: 0 }),
        disagree("/products", 1, { found: 2 }),
        disagree("/errors", 1, { not_found: 0, other_errors: 0 }),
      ],
      [counted({ total: 3, other_errors: 1 }), disagree("/errors", 1, { not_found: 1, other_errors: 1 })],
      // The result of a malformed batch that was accepted as an empty one is judged too.
      [
        batch({ products: [], errors: [], meta: { total: 1, found: 0, not_found: 0, other_errors: 0 } }, "{"),
        disagree("/meta/total", 1, { found: 0, not_found: 0, other_errors: 0 }),
      ],
    ],
    notApplicable,
  },
};
