/** A validator that was compiled when the scenario was bundled. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly keyword: string }[] | null;
}

/** One for each response schema in `schemas/`. */
export interface Validators {
  readonly product: Validator;
  readonly present: Validator;
  readonly productList: Validator;
  readonly batchResult: Validator;
  readonly errorBody: Validator;
  readonly retailers: Validator;
}
