import type { Exchange } from "../client/exchange.ts";

/** What a check found out, before level and waiver turn it into a verdict. */
export type Outcome =
  | { readonly kind: "held"; readonly note: string }
  | {
      readonly kind: "broken";
      readonly reason: string;
      readonly evidence: readonly Exchange[];
      readonly occurrences?: number;
      /** It did not show each time that it was asked again. */
      readonly flaky?: boolean;
    }
  /** Worth a look and no breach of any sentence. */
  | {
      readonly kind: "noticed";
      readonly reason: string;
      readonly evidence: readonly Exchange[];
      /** It is a failure that did not show again. */
      readonly flaky?: boolean;
    }
  | { readonly kind: "unjudged"; readonly reason: string; readonly mend: string }
  | { readonly kind: "irrelevant"; readonly reason: string }
  | { readonly kind: "crashed"; readonly reason: string };

/** The target does as the sentence says; the note tells which of several allowed readings was seen. */
export function held(note = ""): Outcome {
  return { kind: "held", note };
}

/** The target does not do as the sentence says, and these exchanges show it. */
export function broken(reason: string, ...evidence: readonly Exchange[]): Outcome {
  return { kind: "broken", reason, evidence };
}

/** Breaks no sentence, and a person should look at it. */
export function noticed(reason: string, ...evidence: readonly Exchange[]): Outcome {
  return { kind: "noticed", reason, evidence };
}

/** Thrown where a check cannot go on for a cause that is no fault of the target's answer to it. */
export class Unjudged extends Error {
  override readonly name = "Unjudged";
  readonly mend: string;
  constructor(reason: string, mend: string, options?: ErrorOptions) {
    super(reason, options);
    this.mend = mend;
  }
}
