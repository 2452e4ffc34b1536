import type { FindingOf } from "../../schemas/contracts/finding.ts";

/** The target is gone, limits, or hangs; the key is refused; or a budget is spent. */
export type NoResponseReason = FindingOf<
  | "budget-spent"
  | "endpoint-silent"
  | "key-rejected-since"
  | "no-answer"
  | "still-rate-limited"
  | "target-unavailable"
  | "wait-too-long"
>;

/** No response came that a caller could use. What that says of the target is for others to judge. */
export class NoResponse extends Error {
  override readonly name: string = "NoResponse";
  readonly reason: NoResponseReason;
  constructor(reason: NoResponseReason, options?: ErrorOptions) {
    super(reason.code, options);
    this.reason = reason;
  }
}

/** The run's budget of requests, of seconds, or of megabytes of response bodies, is spent. */
export class BudgetSpent extends NoResponse {
  override readonly name = "BudgetSpent";
  constructor(budget: number, unit: "requests" | "seconds" | "megabytes" = "requests") {
    super({ code: "budget-spent", subject: unit, expected: budget });
  }
}
