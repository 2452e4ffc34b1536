import present from "../../schemas/present.schema.json" with { type: "json" };
import product from "../../schemas/product.schema.json" with { type: "json" };
import { productsIn } from "../products-in.ts";
import { validator } from "../validator.ts";
import type { Rule } from "./rule.ts";

const absences = validator(present);
const wrongTypes = validator(product);

const unmet = {
  kind: "unjudged",
  mend: "Give a category that has products (--category), so that products can be seen.",
} as const;

/** Rules on every product, on whichever way it came. */
export const productAnswerRules: readonly Rule[] = [
  {
    id: "service.omitted-fields/every-product",
    requirement: "service.omitted-fields",
    title: "No product carries null or an empty string, at any depth",
    unmet,
    judge: eachProduct((seen) => absences(seen).map((problem) => problem.replace(/ must be .*/, " is null"))),
  },
  {
    id: "product.field-types/every-product",
    requirement: "product.field-types",
    title: "Every product field that the spec names has the type that it gives",
    unmet,
    judge: eachProduct((seen) => wrongTypes(seen)),
  },
];

/** A rule's judgement from one on a single product: concerns every answer that carries a product. */
function eachProduct(judge: (product: unknown) => readonly string[]): Rule["judge"] {
  return (exchange, { dialect }) => {
    const seen = productsIn(exchange, dialect);
    if (seen.length === 0) return undefined;
    return seen.flatMap(({ at, product }) =>
      judge(product).map((problem) => (at === "" ? problem : `${at}: ${problem}`)),
    );
  };
}
