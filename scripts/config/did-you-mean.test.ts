import { expect, test } from "vitest";
import { listChecks, namesOf } from "../../conformance/suite/all.ts";
import { didYouMean } from "./did-you-mean.ts";

const names = namesOf(listChecks());

test.each([
  ["erors", "Did you mean errors?"],
  ["query.limt", "Did you mean query.limit?"],
  ["errors.unentitled", "Did you mean errors.unentitled-retailer?"],
  ["endpoints: post /v1/products/batch", "Did you mean Endpoints: POST /v1/products/batch-lookup?"],
])("suggests a name similar to %s", (name, text) => {
  expect(didYouMean(name, names)).toBe(text);
});

test("lists the five nearest of many names, those with a common word first", () => {
  expect(names.length).toBeGreaterThan(150);
  const text = didYouMean("gtin", names);
  expect(text).toMatch(/^The nearest of \d+ names: /);
  const listed = text.replace(/^.*: (.*)\.$/, "$1").split(", ");
  expect(listed).toHaveLength(5);
  for (const name of listed) expect(name).toContain("gtin");
});

test("lists all of a few names", () => {
  expect(didYouMean("xxxxxxx", ["html", "junit"])).toBe("Known: html, junit.");
});
