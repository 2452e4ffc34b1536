import type { Expectation } from "./expectation.ts";
import { authenticationExpectations } from "./expectations/authentication.ts";
import { batchExpectations } from "./expectations/batch.ts";
import { errorExpectations } from "./expectations/errors.ts";
import { limitExpectations } from "./expectations/limits.ts";
import { lookupExpectations } from "./expectations/lookup.ts";
import { pagingExpectations } from "./expectations/paging.ts";
import { productExpectations } from "./expectations/products.ts";
import { retailerExpectations } from "./expectations/retailers.ts";

/** For every fault of the reference service: the checks that it must turn red. */
export const expectations: readonly Expectation[] = [
  ...productExpectations,
  ...retailerExpectations,
  ...lookupExpectations,
  ...pagingExpectations,
  ...batchExpectations,
  ...authenticationExpectations,
  ...errorExpectations,
  ...limitExpectations,
];

/** What the suite must say of a fault. */
export function expectationOf(fault: string): Expectation {
  const found = expectations.find((one) => one.fault === fault);
  if (found === undefined) throw new Error(`the fault ${fault} has no expectation: add it to expectations/`);
  return found;
}
