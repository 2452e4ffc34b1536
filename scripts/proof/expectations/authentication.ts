import { caught, type Expectation } from "../expectation.ts";

const endpoints = ["retailers", "by-id", "by-url", "by-gtin", "by-category", "batch"];
const everyRequired = endpoints.map((name) => `authentication.required/${name}`);
const everyEquivalent = [...endpoints, "error", "refusal", "second-page", "second-key"].map(
  (name) => `authentication.equivalent/${name}`,
);
const everyInvalid = [
  ...endpoints,
  "x-api-key",
  "empty-bearer",
  "empty-x-api-key",
  "key-with-a-tail",
  "both-bad",
].map((name) => `authentication.invalid-key/${name}`);

/** Faults in what is done with keys. */
export const authenticationExpectations: readonly Expectation[] = [
  ...caught(["authentication.bearer/accepted", ...everyEquivalent], ["bearer-refused"]),
  ...caught(["authentication.x-api-key/accepted", ...everyEquivalent], ["x-api-key-refused"]),
  ...caught("authentication.equivalent/batch", ["x-api-key-refused-in-batch"]),
  ...caught("authentication.equivalent/by-category", ["bearer-refused-in-category"]),
  ...caught("authentication.equivalent/retailers", ["x-api-key-entitled-to-less"]),
  ...caught(everyRequired, ["missing-key-400", "missing-key-403", "missing-key-accepted"]),
  ...caught("authentication.required/retailers", ["missing-key-accepted-for-retailers"]),
  ...caught("authentication.required/batch", ["missing-key-accepted-for-batch"]),
  ...caught(everyInvalid, ["invalid-key-403", "invalid-key-404", "invalid-key-accepted"]),
  ...caught(
    ["authentication.invalid-key/x-api-key", "authentication.invalid-key/empty-x-api-key"],
    ["invalid-key-accepted-with-x-api-key"],
  ),
];
