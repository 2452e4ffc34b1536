import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { PoliteClient } from "../../client/polite-client.ts";
import type { Request } from "../../client/requests.ts";
import type { Target } from "../../client/target.ts";
import type { Discovery } from "../../discovery/discover.ts";
import type { ProductFixture } from "../../discovery/fixtures.ts";
import type { CheckId } from "../../requirements/all.ts";
import type { Outcome } from "../../requirements/outcome.ts";
import type { SectionKey } from "../../requirements/requirement.ts";

/** What a check works with. The exchanges of `ask`, `control`, `shared` and `tryOut` become its evidence. */
export interface CheckContext
  extends Pick<PoliteClient, "ask" | "sendAtOnce" | "tryOut">,
    Pick<Discovery, "fixtures" | "fieldNames"> {
  readonly target: Target;
  /**
   * Sends a request that must succeed before one thing in it is changed. All checks of the run share the
   * response; when a failed check is repeated, it is requested again.
   * @throws NotJudged when the status is not 200: then the changed request proves nothing
   */
  control(request: Request): Promise<Exchange>;
  /** Like control, for a response with any status. */
  shared(request: Request): Promise<Exchange>;
  /** Every exchange of the run so far, of discovery and all checks, in the order of responses. */
  readonly exchanges: readonly Exchange[];
  /** What the check chooses products from: the same in each attempt, although more pages were seen since. */
  readonly choices: Map<"primary" | "otherOrg", readonly ProductFixture[]>;
  /** Settings of `--fuzz`, where given. */
  readonly fuzz?: Fuzz | undefined;
  /** Waits; rejects when the run is interrupted. Where Retry-After asks for it, the user is told. */
  sleep(milliseconds: number, why?: "announced"): Promise<void>;
  /** Runs work once for all checks that need its result; when a failed check is repeated, it is run again. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The result of `once` under this name, if it has run. */
  cached<T>(name: string): Promise<T> | undefined;
}

/** The number of generated inputs, and the seed that reproduces them. */
export interface Fuzz {
  readonly runs: number;
  readonly seed: number;
}

/** Changes one thing in a control request that succeeds, and judges the response. */
export interface Check {
  /** Unique and stable. */
  readonly id: CheckId;
  readonly title: string;
  /** Most requests that it sends when it passes and nothing changes meanwhile, for `--plan`; a failed check is repeated. */
  readonly requests: number;
  /** It needs the whole walk of a category, which is made once for all checks and is not among its requests. */
  readonly walks?: true;
  /**
   * It relies on this key. A failure does not count where the role of the key is in doubt; that of the same
   * organization may be confirmed by the rate limit's checks, after which it runs then.
   */
  readonly restsOn?: "sameOrgKey" | "otherOrgKey";
  /** It exceeds the target's rate limit on purpose. */
  readonly bursts?: true;
  run(context: CheckContext): Promise<Outcome>;
}

export interface Section {
  readonly key: SectionKey;
  /** Default: the heading of the section in the spec */
  readonly heading?: string | undefined;
  readonly checks: readonly Check[];
}

/** The heading of checks that look at many requests of a run together. */
export const acrossAllRequests = "Across all requests";

/** What differs between two responses; findings are on the second one, compared with the first. */
export type ResponseView = (
  one: Exchange,
  other: Exchange,
  context: Pick<CheckContext, "fieldNames" | "exchanges">,
) => readonly Finding[];
