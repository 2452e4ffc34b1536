import type { Finding, Problem } from "../types.ts";
import { defaultWords } from "./finding-words.ts";
import { findingFix, findingText } from "./index.ts";

/** A finding that stopped a run, as the problem of that run. */
export function problemFrom(finding: Finding, where: string): Problem {
  return {
    what: findingText(finding, defaultWords).replace(/\.$/, ""),
    where,
    fix: findingFix(finding, defaultWords) ?? "Run `shelfcheck doctor`.",
  };
}
