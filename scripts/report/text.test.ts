import { expect, test } from "vitest";
import { exampleExchange } from "../../test/support/samples/example.ts";
import { bodyText, exchangeText, plainProse } from "./text.ts";

test.each([
  [{ body: "abcdef" }, 10, "abcdef"],
  [{ body: "abcdef" }, 4, "abcd… (2 more characters)"],
  [{ body: "ab👟cd" }, 3, "ab… (4 more characters)"],
  [
    { body: "abcdef… (2000 characters)", cut: { shown: 6, of: 2000 } },
    100,
    "abcdef… (1,994 more characters)",
  ],
  [{ body: "abcdef… (2000 characters)", cut: { shown: 6, of: 2000 } }, 4, "abcd… (1,996 more characters)"],
] as const)("%j in %i characters: what is left out is counted of the whole", (response, length, says) => {
  expect(bodyText(response, length)).toBe(says);
});

test.each([
  ["`mpn` is null in `products[9]`.", "mpn is null in products[9]."],
  ["The name is `` a`b ``.", "The name is a`b."],
  ["A lone ` stays.", "A lone ` stays."],
])("%s as plain text", (sentence, plain) => {
  expect(plainProse(sentence)).toBe(plain);
});

test("each of several excerpts follows its place", () => {
  const { response, ...rest } = exampleExchange();
  const excerpt = (path: string) => ({
    path,
    lines: [{ text: "{" }, { text: '"mpn": null', mark: "place" as const }],
  });
  const textOf = (...paths: string[]) =>
    exchangeText({ ...rest, response: { ...response, excerpts: paths.map(excerpt) } });
  expect(textOf("/products/0/mpn", "/products/3/mpn")).toContain(
    '< products[0].mpn:\n<   {\n< \u2192 "mpn": null\n< products[3].mpn:\n<   {',
  );
  expect(textOf("/products/0/mpn")).not.toContain("products[0]");
});
