import { section } from "../engine/check.ts";
import { noSlugRefused, slugsToTry } from "./each-slug.ts";

/** Spec, Retailer. Passive rules judge the fields of the entries: rules/retailer-answers.ts. */
export default section("retailer", [
  {
    id: "retailer.slug/accepted",
    requirement: "retailer.slug",
    title: "Every listed slug is accepted: it is never treated as an unknown one",
    requests: slugsToTry,
    run: async (context) => await noSlugRefused(context, 400),
  },
]);
