import { broken, held } from "../outcome.ts";
import { askEachSlug, slugsToTry, unanimous } from "./each-slug.ts";
import { section } from "./section.ts";

/** Spec, Retailer. The fields of the entries are held by the passive rules in rules/retailer-answers.ts. */
export default section("retailer", [
  {
    id: "retailer.slug/accepted",
    requirement: "retailer.slug",
    title: "Each listed slug is accepted where a retailer is: it is never an unknown one",
    requests: slugsToTry,
    async run(context) {
      for (const asked of await askEachSlug(context)) {
        const answer = unanimous(asked, 400);
        if (answer !== undefined) {
          return broken(
            `${asked.slug} is listed by GET /retailers and refused with 400 as a retailer`,
            answer,
          );
        }
      }
      return held();
    },
  },
]);
