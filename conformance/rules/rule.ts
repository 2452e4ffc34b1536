import type { Finding } from "../../schemas/contracts/finding.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import type { SharedPrices } from "../../schemas/no-values.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Caller } from "../client/target.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import type { CheckId } from "../requirements/all.ts";
import type { Outcome } from "../requirements/outcome.ts";

/** What rules know besides the exchange. */
export interface RuleFacts {
  readonly fieldNames: FieldNames;
  /** Slugs that the caller's organization may use, from every list of the run; undefined when unknown. */
  readonly entitled: (caller: Caller) => ReadonlySet<string> | undefined;
  /** Display names of retailers that are not their slugs, from every list of the run. */
  readonly retailerNames: ReadonlySet<string>;
  /** What the lists of the run say about each retailer, by slug. */
  readonly listed: ReadonlyMap<string, ListedRetailer>;
  /** Prices below zero of the products of the run. */
  readonly prices: () => SharedPrices;
  /** For each cursor that a page of the run returned, the limits of the requests for such pages; "" without a limit. */
  readonly limitsOfCursors: () => ReadonlyMap<string, ReadonlySet<string>>;
  /** What discovery found; explains why a rule had no response to judge. */
  readonly fixtures?: Fixtures | undefined;
}

/** Everything that lists of retailers said about one of them. */
export interface ListedRetailer {
  readonly names: ReadonlySet<string>;
  readonly domains: ReadonlySet<string>;
  /** Whether its domains changed during the run. */
  readonly isChanging: boolean;
}

/**
 * A passive rule judges one requirement on every exchange of a run, whatever check sent it. To add one, add an entry
 * to the list of its section, and its examples to test/support/rule-examples/.
 */
export interface Rule {
  readonly id: CheckId;
  readonly title: string;
  readonly exercisedBy: ExercisedBy;
  /** The findings on this exchange, none when it passes, or undefined when the rule does not apply to it. */
  readonly judge: (exchange: Exchange, facts: RuleFacts) => readonly Finding[] | undefined;
}

/** Rules that need one kind of response and look at it in one way, by their ids. */
export function rulesOn<Judge>(
  exercisedBy: ExercisedBy,
  look: (judge: Judge) => Rule["judge"],
  rows: Readonly<Record<CheckId, readonly [title: string, judge: Judge]>>,
): Rule[] {
  return Object.entries(rows).map(([id, [title, judge]]) => {
    return { id: id as CheckId, title, exercisedBy, judge: look(judge) };
  });
}

/** Judges one requirement on all exchanges of a run together, in the order of responses. It sends nothing. */
export interface HistoryRule {
  readonly id: CheckId;
  readonly title: string;
  readonly judge: (exchanges: readonly Exchange[], facts: Pick<RuleFacts, "fieldNames">) => Outcome;
}

/** Whether a rule judges only responses to requests over the rate limit. */
export function isOfTheLimit({ exercisedBy }: Pick<Rule, "exercisedBy">): boolean {
  return typeof exercisedBy === "object" && exercisedBy.statuses.every((status) => status === 429);
}

/**
 * The responses that a rule needs: those that every service returns on request, or error statuses that only a failing
 * service returns.
 */
export type ExercisedBy =
  | "response"
  | "success"
  | "error"
  | "lookup-by-id"
  | "product"
  | "gtin"
  | "retailer"
  | "page"
  | "batch"
  | { readonly statuses: readonly number[]; readonly optional?: true | undefined };
