import type { ConformanceCode } from "../types.ts";
import { failureWords } from "./failures.ts";
import type { FindingWords } from "./finding-words.ts";
import { missingFixtureWords } from "./missing-fixtures.ts";
import { notJudgedWords } from "./not-judged.ts";
import { readingWords } from "./readings.ts";

/** The words of what checks, rules and discovery find. */
export const conformanceWords = {
  ...failureWords,
  ...readingWords,
  ...notJudgedWords,
  ...missingFixtureWords,
} as const satisfies Record<ConformanceCode, FindingWords>;
