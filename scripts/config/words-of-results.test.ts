import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { shortestKey } from "../../schemas/redaction.ts";
import { wordsOfResults } from "./words-of-results.ts";

const contracts = [
  "schemas/contracts/results",
  "schemas/contracts/finding",
  "schemas/contracts/evidence",
  "schemas/contracts/discovered",
  "schemas/contracts/load-result",
  "schemas/contracts/threshold",
  "scripts/earlier/since-result",
  "scripts/twin/twin-result",
  "clients/contract/client-results",
];

test.each(contracts)("no field and no value of %s can be a key", async (name) => {
  const source = await readFile(new URL(`../../${name}.ts`, import.meta.url), "utf8");
  const declared = source.replaceAll(/^import .*$|\/\*\*[\s\S]*?\*\//gm, "");
  const words = [...declared.matchAll(/(?<=[\s{])(\w+)\??:|"([\w-]+)"/g)].flatMap(
    ([, field, value]) => field ?? value ?? [],
  );
  expect(words.length).toBeGreaterThan(3);
  const long = words.filter((word) => word.length >= shortestKey);
  expect(long.filter((word) => !wordsOfResults.includes(word.toLowerCase()))).toEqual([]);
});
