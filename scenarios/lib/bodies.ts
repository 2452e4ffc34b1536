import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import {
  isPlainlyBatchResult,
  isPlainlyProduct,
  isPlainlyRetailerList,
  mayShowGtin,
  type Page,
  type ParseJson,
  plainPage,
} from "./quick-check.ts";
import type { Kind } from "./response-checker.ts";
import type { ResponseBody } from "./response-rules.ts";
import type { LoadCall } from "./traffic.ts";

// A scenario names the checks of the bodies that it gets: each function costs every virtual user memory.

/** Whether the body of a 200 is certainly right; for a page, what a walk needs of it. */
type QuickCheck = (
  parse: ParseJson,
  text: string,
  call: LoadCall,
  kind: Kind,
  fieldNames: FieldNames,
) => boolean | Page;

/** Bodies without one get the complete check. */
export type QuickChecks = { readonly [Body in ResponseBody]?: QuickCheck };

export const product: QuickCheck = (parse, text, { path }, { isById, showsGtin }) =>
  isById
    ? isPlainlyProduct(parse, text, path)
    : isPlainlyProduct(parse, text) && (!showsGtin || mayShowGtin(text, path));

export const productList: QuickCheck = (parse, text) => plainPage(parse, text) ?? false;

export const batchResult: QuickCheck = (parse, text, { body }, _, fieldNames) =>
  isPlainlyBatchResult(parse, text, fieldNames, body);

export const retailerList: QuickCheck = isPlainlyRetailerList;
