import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { allowedFields } from "./catalog/product-rows.ts";

it("the tables of the catalog file have every property", async () => {
  const readme = await readFile(new URL("README.md", import.meta.url), "utf8");
  const rows = readme.slice(
    readme.indexOf("## Your own catalog"),
    readme.indexOf("## Choices where the specification is silent"),
  );
  const missing = Object.keys(allowedFields).filter((name) => !rows.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});
