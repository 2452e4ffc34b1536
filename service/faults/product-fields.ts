import type { Call } from "../call.ts";
import { type Json, onProducts, type ProductWay, queryOf, remembering } from "../changes/answer-changes.ts";
import type { Steps } from "../steps.ts";
import { faultsOf } from "./fault.ts";

const omitted =
  "Fields that a retailer did not provide are omitted from the response. They are never returned as null or as an empty string.";
const allowList = "Only an external allow-list of product fields is ever returned.";
const sameShape = "Every lookup path returns the same Product shape.";
const notNull = "product.omitted-not-null";

const optional = ["brand", "price", "availability", "color", "size"];

/** Puts `empty` where a field is not there; a product that has them all loses its `mpn`. */
const emptied = (product: Json, empty: null | ""): Json => {
  const missing = optional.filter((name) => product[name] === undefined);
  const names = missing.length === 0 ? ["mpn"] : missing;
  return { ...product, ...Object.fromEntries(names.map((name) => [name, empty])) };
};

const withNulls = (product: Json): Json => emptied(product, null);

const onlyWhen = (condition: (call: Call, way: ProductWay, product: Json) => boolean) =>
  onProducts((product, call, way) => (condition(call, way, product) ? withNulls(product) : undefined));

export const productFieldFaults = faultsOf("What the service does", [
  ["null-field", notNull, omitted, onProducts(withNulls)],
  ["empty-string-field", notNull, omitted, onProducts((its) => emptied(its, ""))],
  ["null-field-by-identifier", notNull, omitted, onProducts(withNulls, ["identifier"])],
  ["null-field-by-url", notNull, omitted, onProducts(withNulls, ["url"])],
  ["null-field-by-gtin", notNull, omitted, onProducts(withNulls, ["gtin"])],
  ["null-field-in-category", notNull, omitted, onProducts(withNulls, ["category"])],
  ["null-field-in-batch", notNull, omitted, onProducts(withNulls, ["batch"])],
  [
    "null-field-on-second-page",
    notNull,
    omitted,
    onlyWhen((call, way) => way === "category" && queryOf(call).has("cursor")),
  ],
  ["null-field-with-x-api-key", notNull, omitted, onlyWhen((call) => call.caller?.keyHeader === "x-api-key")],
  [
    "null-field-of-one-retailer",
    notNull,
    omitted,
    onlyWhen((_call, _way, its) => its.retailer === "brightmart"),
  ],
  [
    "null-field-every-tenth",
    notNull,
    omitted,
    remembering(() => {
      let answers = 0;
      return onProducts((product) => (++answers % 10 === 0 ? withNulls(product) : undefined));
    }),
  ],
  ["null-field-after-429", notNull, omitted, afterRefusal(onProducts(withNulls))],
  [
    "null-in-list",
    notNull,
    omitted,
    onProducts((its) => (Array.isArray(its.images) ? { ...its, images: [...its.images, null] } : undefined)),
  ],
  [
    "empty-string-in-list",
    notNull,
    omitted,
    onProducts((its) => (Array.isArray(its.images) ? { ...its, images: [...its.images, ""] } : undefined)),
  ],
  [
    "null-in-object",
    notNull,
    omitted,
    onProducts((its) => ({ ...its, dimensions: { unit: "cm", depth: null } })),
  ],
  [
    "internal-field-by-gtin",
    "product.allow-list",
    allowList,
    onProducts((its) => ({ ...its, wholesale_price: 1.5 }), ["gtin"]),
  ],
  [
    "internal-field-in-batch",
    "product.allow-list",
    allowList,
    onProducts((its) => ({ ...its, internal_note: "not for partners" }), ["batch"]),
  ],
  [
    "title-renamed-by-url",
    "product.same-shape",
    sameShape,
    onProducts(
      ({ title, ...others }) => (title === undefined ? others : { ...others, name: title }),
      ["url"],
    ),
  ],
  [
    "price-nested-in-batch",
    "product.same-shape",
    sameShape,
    onProducts(
      ({ price, ...others }) => (price === undefined ? others : { ...others, pricing: { amount: price } }),
      ["batch"],
    ),
  ],
  [
    "title-missing-in-category",
    "product.same-shape",
    sameShape,
    onProducts(({ title: _title, ...others }) => others, ["category"]),
  ],
]);

/** The change takes hold once the service has answered 429. */
function afterRefusal(change: ReturnType<typeof onProducts>): ReturnType<typeof onProducts> {
  return {
    steps(steps, sources) {
      let refused = false;
      const changed: Steps = change.steps?.(steps, sources) ?? steps;
      return {
        ...steps,
        finish(call, answer) {
          refused ||= answer.status === 429;
          return refused ? changed.finish(call, answer) : steps.finish(call, answer);
        },
      };
    },
  };
}
