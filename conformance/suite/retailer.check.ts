import { section } from "../engine/section.ts";
import { noSlugRefused, slugsToTry } from "./each-slug.ts";

/** Spec, Retailer. The fields of the entries are held by the passive rules in rules/retailer-answers.ts. */
export default section("retailer", [
  {
    id: "retailer.slug/accepted",
    requirement: "retailer.slug",
    title: "Each listed slug is accepted where a retailer is: it is never an unknown one",
    requests: slugsToTry,
    run: async (context) => await noSlugRefused(context, 400),
  },
]);
