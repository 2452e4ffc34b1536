import type { Dialect } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import type { TransportError } from "../client/transport-error.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import type { SectionKey } from "../requirements/requirement.ts";
import type { Outcome } from "./outcome.ts";

/** What a check works with. */
export interface CheckContext {
  readonly fixtures: Fixtures;
  readonly dialect: Dialect;
  readonly target: Target;
  /** Asks politely; see PoliteClient. The exchanges become the check's evidence. */
  ask(request: Request): Promise<Exchange>;
  /**
   * Asks for what must succeed before one thing is changed. Asked once for the whole run, and again when a
   * failure is asked again.
   * @throws NotJudged when it does not answer 200: then nothing follows from the changed request.
   */
  control(request: Request): Promise<Exchange>;
  /** As control, for an answer that several checks look at and that may have any status. */
  shared(request: Request): Promise<Exchange>;
  /** Sends without regard to the rate limit, whatever the answer; for the checks of the limit itself. */
  sendAtOnce(request: Request): Promise<Exchange>;
  /** Sends what the target may choke on; see PoliteClient. */
  tryOut(request: Request): Promise<Exchange | TransportError>;
  /** Every exchange of the run until now, discovery and all checks, in the order of their answers. */
  readonly exchanges: readonly Exchange[];
  /** How many times as much as usual may be asked: 1, or more where the run is a thorough one. */
  readonly effort: number;
  /** How many drawn inputs to try, and from which seed, where any were asked for. */
  readonly fuzz?: Fuzz;
  /** Waits; an interruption of the run ends it. */
  sleep(milliseconds: number): Promise<void>;
  /** Does something once for all checks of a run that need it, and again when a failure is asked again. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** What came of something that is done once, where it was done. */
  known<T>(name: string): Promise<T> | undefined;
}

/** Drawn inputs: so many, the same for the same seed. */
export interface Fuzz {
  readonly runs: number;
  readonly seed: number;
}

/**
 * A check: one entry in the list of its section of the spec. It changes one thing against a control request
 * that succeeds and says what came of it.
 */
export interface Check {
  /** `<requirement>/<name>`, unique and stable. */
  readonly id: string;
  readonly requirement: string;
  readonly title: string;
  /** Most requests that it sends when all goes well, for `--plan`; a failure is asked again. */
  readonly requests: number;
  /** It blames the target for what a key sees, so its role must be certain. Where it is not, the checks of the limit come first. */
  readonly restsOn?: "sameOrgKey";
  /** It sends more than the target's rate limit accepts. */
  readonly bursts?: true;
  run(context: CheckContext): Promise<Outcome>;
}

/** A section of the suite: its key in the requirement ids and its checks, one entry each. */
export interface Section {
  readonly key: SectionKey;
  /** Where it is not that of the spec's section. */
  readonly heading?: string;
  readonly checks: readonly Check[];
}

/** The checks of one section of the spec; under a heading of their own they run after those of the spec's. */
export function section(key: SectionKey, checks: readonly Check[], heading?: string): Section {
  return { key, checks, ...(heading === undefined ? {} : { heading }) };
}
