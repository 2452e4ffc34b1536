import type { Exchange } from "../client/exchange.ts";

/** What a check found: the verdict before level and waiver are applied. */
export type Outcome =
  | { readonly kind: "pass"; readonly note: string }
  | {
      readonly kind: "fail";
      readonly reason: string;
      readonly evidence: readonly Exchange[];
      readonly occurrences?: number;
      /** It did not show each time that it was asked again. */
      readonly flaky?: boolean;
    }
  /** Breaks no requirement, and a person should look at it. */
  | {
      readonly kind: "warn";
      readonly reason: string;
      readonly evidence: readonly Exchange[];
      /** It is a failure that did not show again. */
      readonly flaky?: boolean;
    }
  | { readonly kind: "inconclusive"; readonly reason: string; readonly fix: string }
  | { readonly kind: "notApplicable"; readonly reason: string }
  | { readonly kind: "error"; readonly reason: string };

/** The target meets the requirement; the note tells which of several allowed readings was seen. */
export function passed(note = ""): Outcome {
  return { kind: "pass", note };
}

/** The target does not meet the requirement, and these exchanges show it. */
export function failed(reason: string, ...evidence: readonly Exchange[]): Outcome {
  return { kind: "fail", reason, evidence };
}

/** Breaks no requirement, and a person should look at it. */
export function warning(reason: string, ...evidence: readonly Exchange[]): Outcome {
  return { kind: "warn", reason, evidence };
}

/** Thrown where a check cannot go on, for a reason that its response is not to blame for. */
export class NotJudged extends Error {
  override readonly name = "NotJudged";
  readonly fix: string;
  constructor(reason: string, fix: string, options?: ErrorOptions) {
    super(reason, options);
    this.fix = fix;
  }
}
