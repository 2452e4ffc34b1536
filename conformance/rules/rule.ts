import type { Dialect } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Caller } from "../client/target.ts";

/** What the rules may know beside the exchange itself. */
export interface RuleFacts {
  readonly dialect: Dialect;
  /** Slugs of the caller's organization, from every list seen in the run; undefined when none was. */
  readonly entitled: (caller: Caller) => ReadonlySet<string> | undefined;
  /** Display names of retailers, from every list seen in the run. */
  readonly retailerNames: ReadonlySet<string>;
}

/**
 * A passive rule: one sentence of the spec, held against every exchange of a run, whatever it was sent for.
 * To add a rule, add one entry to the list of its section.
 */
export interface Rule {
  /** `<requirement>/<name>`. */
  readonly id: string;
  readonly requirement: string;
  readonly title: string;
  /** What it means when no exchange of the run concerned the rule. */
  readonly unmet:
    | { readonly kind: "inconclusive"; readonly fix: string }
    | { readonly kind: "notApplicable"; readonly reason: string };
  /** The breaches in this exchange, none when it holds, or undefined when the rule does not concern it. */
  readonly judge: (exchange: Exchange, facts: RuleFacts) => readonly string[] | undefined;
}
