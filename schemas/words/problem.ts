import type { Finding } from "../contracts/finding.ts";
import type { Problem } from "../contracts/results.ts";
import { defaultWords } from "./finding-words.ts";
import { findingFix, findingText } from "./index.ts";

/** The problem of a run that a finding ended. */
export function problemFrom(finding: Finding, where: string): Problem {
  return {
    what: findingText(finding, defaultWords).replace(/\.$/, ""),
    where,
    fix: findingFix(finding, defaultWords) ?? "Run `npx shelfcheck doctor`.",
  };
}
