import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { Waiver } from "../../../../schemas/contracts/waivers.ts";
import { clip } from "../../../../schemas/words/format.ts";
import { exchangeText, plainProse, visibleText } from "../../text.ts";

/** A sentence, or an exchange that shows what it says. */
export type Detail = string | Evidence;

/**
 * The outcome of a case in the terms of test tools. `error` is never the target's fault; `skipped` has a reason. Long
 * texts are functions, so that they are only rendered when they fit.
 */
export type CaseOutcome =
  | { readonly kind: "passed"; readonly remark?: () => readonly Detail[] }
  | { readonly kind: "failed" | "error"; readonly message: string; readonly details: () => readonly Detail[] }
  | { readonly kind: "skipped"; readonly message: string };

/** One thing that was judged: a check, a threshold, a waiver, a change of the contract. */
export interface Case {
  /** Id of the requirement, or the part of the run. Tools group cases by it. */
  readonly group: string;
  readonly name: string;
  /** Label of the verdict. */
  readonly verdict: string;
  readonly outcome: CaseOutcome;
  /** Duration of the check, or of the load run that a limit belongs to. Omitted when no request was sent. */
  readonly milliseconds?: number | undefined;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
  /** Start time, if it is known more exactly than that of the whole run. */
  readonly startedAt?: string | undefined;
  /** Duration of the suite, if its cases share it, so that theirs must not be added up. */
  readonly milliseconds?: number | undefined;
  /** Further facts by name. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A waived failure with the reason of its waiver. JUnit has no field for waivers. */
export function waivedText({ expires, owner, ticket, reason }: Waiver, text: string): string {
  return `waived until ${expires} by ${owner}, ${ticket}: ${reason} (${text})`;
}

/** Details as text: sentences without the backticks that mark code, exchanges with a blank line between two of them. */
export function detailsText(details: readonly Detail[]): string {
  return details
    .map((detail, place) => {
      if (typeof detail === "string") return plainProse(detail);
      return `${typeof details[place - 1] === "object" ? "\n" : ""}${exchangeText(detail)}`;
    })
    .join("\n");
}

/** Maximum characters of details in a report. Escaped, each takes up to six bytes; the report stays below 10 MB. */
const allDetails = 1_000_000;
const longestDetails = 16_000;
const leftOff = "Not all failures are shown here: see report.html.";

/** Hands out room for details in the order of the cases, until it is used up. */
export function detailsRoom(): (details: () => readonly Detail[]) => string {
  let left = allDetails;
  return (details) => {
    if (left === 0) return leftOff;
    // Marks are longer than the characters they replace.
    const shown = clip(visibleText(clip(detailsText(details()), longestDetails)), longestDetails);
    left = Math.max(0, left - shown.length);
    return shown;
  };
}
