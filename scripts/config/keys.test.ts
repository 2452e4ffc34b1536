import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { shortestKey } from "../../schemas/redaction.ts";
import { isWordOfResults } from "./keys.ts";

const contracts = [
  "schemas/contracts/results",
  "schemas/contracts/finding",
  "schemas/contracts/evidence",
  "schemas/contracts/load-result",
  "schemas/contracts/vocabulary",
];
const root = fileURLToPath(new URL("../..", import.meta.url));
/** Those of capabilities. */
const added = globSync(["scripts/*/*-result.ts", "clients/*/*-results.ts"], { cwd: root });

test.each([...contracts, ...added.map((name) => name.replace(".ts", ""))])(
  "no field and no value of %s can be a key",
  async (name) => {
    const source = await readFile(join(root, `${name}.ts`), "utf8");
    // What is readonly in the contract of a finding is of its words, which no result has.
    const ofWords = name.endsWith("/finding") ? /^export const .*$|^ *readonly .*$/gm : /^import .*$/gm;
    const declared = source.replaceAll(/^import .*$|\/\*\*[\s\S]*?\*\//gm, "").replaceAll(ofWords, "");
    const words = [...declared.matchAll(/(?<=[\s{])(\w+)\??:|"([\w-]+)"/g)].flatMap(
      ([, field, value]) => field ?? value ?? [],
    );
    expect(words.length).toBeGreaterThan(3);
    const long = words.filter((word) => word.length >= shortestKey);
    expect(long.filter((word) => !isWordOfResults(word))).toEqual([]);
  },
);
