import type { CheckResult, Dialect, Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Caller } from "../client/target.ts";
import type { Fixtures } from "../discovery/fixtures.ts";

/** What the rules may know beside the exchange itself. */
export interface RuleFacts {
  readonly dialect: Dialect;
  /** Slugs of the caller's organization, from every list seen in the run; undefined when none was. */
  readonly entitled: (caller: Caller) => ReadonlySet<string> | undefined;
  /** Display names of retailers, from every list seen in the run. */
  readonly retailerNames: ReadonlySet<string>;
  /** What discovery found: where a rule meets no response, what is missing here is why. */
  readonly fixtures?: Fixtures;
  /** What the checks of the run came to: where a rule meets no response, that of the check that provokes it is why. */
  readonly checks?: readonly JudgedCheck[];
}

/** A check of the run, as far as a rule may ask for it. */
export interface JudgedCheck extends Pick<CheckResult, "verdict" | "findings"> {
  readonly requirement: string;
}

/**
 * A passive rule: judges one requirement on every exchange of a run, whatever it was sent for.
 * To add a rule, add one entry to the list of its section, and its examples to examples/.
 */
export interface Rule {
  /** `<requirement>/<name>`. */
  readonly id: string;
  readonly requirement: string;
  readonly title: string;
  readonly exercisedBy: ExercisedBy;
  /** What breaks it in this exchange, nothing when it passes, or undefined when the exchange does not concern it. */
  readonly judge: (exchange: Exchange, facts: RuleFacts) => readonly Finding[] | undefined;
}

/** The responses that a rule needs: those that a service must be able to give, or those that show only when it fails. */
export type ExercisedBy =
  | "response"
  | "success"
  | "error"
  | "lookup-by-id"
  | "product"
  | "retailer"
  | "page"
  | "batch"
  | { readonly statuses: readonly number[]; readonly optional?: true };
