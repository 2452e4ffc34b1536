import type { Check, Section } from "../engine/check.ts";
import { type SectionKey, sectionOf, sections } from "../requirements/requirement.ts";
import { rules } from "../rules/all.ts";
import authentication from "./authentication.check.ts";
import batchLookup from "./batch-lookup.check.ts";
import errors from "./errors.check.ts";
import getProductById from "./get-product-by-id.check.ts";
import getProducts from "./get-products.check.ts";
import getRetailers from "./get-retailers.check.ts";
import hostileInput from "./hostile-input.check.ts";
import limits from "./limits.check.ts";
import ownResponse from "./own-response.check.ts";
import product from "./product.check.ts";
import productListPage from "./product-list-page.check.ts";
import retailer from "./retailer.check.ts";
import versioning from "./versioning.check.ts";
import waysCompared from "./ways-compared.check.ts";
import whatTheServiceDoes from "./what-the-service-does.check.ts";

/** Every section of the suite, in the order in which they run. */
export const suiteSections: readonly Section[] = [
  whatTheServiceDoes,
  product,
  retailer,
  productListPage,
  getRetailers,
  getProductById,
  getProducts,
  batchLookup,
  authentication,
  errors,
  hostileInput,
  versioning,
  ownResponse,
  waysCompared,
  limits,
];

/** A check or a rule as a user sees it: something with an id that judges a requirement. */
export interface Listed {
  readonly id: string;
  readonly requirement: string;
  readonly title: string;
  readonly section: SectionKey;
  /** Heading under which it runs; those of one heading run together, one heading after the other. */
  readonly heading: string;
  /** Most requests it sends; a passive rule sends none. */
  readonly requests: number;
  /** It sends more than the target's rate limit accepts. */
  readonly bursts?: true;
}

/** Every check and every rule, in the order in which they run: the rules look at every response of the run, so they come last. */
export function listChecks(): readonly Listed[] {
  const checks = suiteSections.flatMap(({ key, heading = sections[key], checks: own }) =>
    own.map((check) =>
      listed(check, {
        heading,
        requests: check.requests,
        ...(check.bursts === undefined ? {} : { bursts: check.bursts }),
      }),
    ),
  );
  return [
    ...checks,
    ...rules.map((rule) => listed(rule, { heading: "Every response of the run", requests: 0 })),
  ];
}

function listed(
  { id, requirement, title }: Pick<Check, "id" | "requirement" | "title">,
  runs: Pick<Listed, "heading" | "requests" | "bursts">,
): Listed {
  return { id, requirement, title, section: sectionOf(requirement), ...runs };
}
