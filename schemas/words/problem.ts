import type { Finding, WordsContext } from "../contracts/finding.ts";
import type { Problem } from "../contracts/results.ts";
import { findingFix, findingText } from "./index.ts";

/** The problem of a run that a finding ended. */
export function problemFrom(finding: Finding, target: WordsContext & { readonly baseUrl: string }): Problem {
  return {
    what: findingText(finding, target).replace(/\.$/, ""),
    where: target.baseUrl,
    fix: findingFix(finding, target) ?? "Run `npx shelfcheck doctor`.",
  };
}
