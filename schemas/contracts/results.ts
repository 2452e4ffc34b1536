import type { Waiver, WaiverResult } from "./config.ts";
import type { Evidence } from "./evidence.ts";
import type { Finding, SaidFinding } from "./finding.ts";
import type { LoadResult } from "./load-result.ts";
import type { FieldNames } from "./product.ts";
import type { Cause, CauseMeaning, Verdict } from "./verdicts.ts";

/** The version of results: the one that is written, and the only one that is read. */
export const schemaVersion = 5;

export interface Problem {
  /** What went wrong. */
  what: string;
  /** URL, file, variable or flag at fault. */
  where: string;
  /** How to fix it. */
  fix: string;
  /** The command that helps most. Default: `doctor`, of the target */
  next?: string | undefined;
}

export interface CheckResult<F = Finding> {
  id: string;
  title: string;
  verdict: Verdict;
  /** When the check began. */
  startedAt?: string | undefined;
  /** From the start of the check to its verdict, waits for the target's rate limit included. */
  milliseconds?: number | undefined;
  /** What it found, most important first; for a passed check, which of several allowed readings was seen. */
  findings: F[];
  /** Of more than 50 findings, how many are left out. */
  findingsLeftOut?: number | undefined;
  /** For a failure that did not occur in every attempt: the failed attempts and all attempts. */
  attempts?: { failed: number; total: number } | undefined;
  evidence: Evidence[];
  /** The name in the config's `optional` of what the target lacks: the check may remain not judged. */
  excused?: string | undefined;
  waiver?: Waiver | undefined;
}

export interface RequirementResult<F = Finding> {
  id: string;
  /** Heading in the spec. */
  section: string;
  level: "must" | "should" | "may";
  /** The requirement in our own words. */
  statement: string;
  verdict: Verdict;
  /**
   * Why it may remain not judged without making the run incomplete: the config excludes what it needs, or
   * lists what the target lacks as optional.
   */
  excused?: "avoided" | "optional" | undefined;
  checks: CheckResult<F>[];
}

/** What capabilities add to the results of a run, each under its own name: it declares its part. */
// biome-ignore lint/suspicious/noEmptyInterface: the capabilities declare its rows.
export interface ResultParts {}

/** Results that are no run of a target, by the command that makes them: its capability declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: the capabilities declare its rows.
export interface OwnResults {}

/** The results of one run of any command. */
export type AnyResults = Results | OwnResults[keyof OwnResults];

/**
 * The results of one run of a target. Every report and the exit code are made from this value.
 */
export interface Results<F = SaidFinding> {
  schemaVersion: typeof schemaVersion;
  tool: { name: "shelfcheck"; version: string };
  /** A command of the core, or that of a capability that judges a target alone. */
  command: "conformance" | "load" | "gate" | keyof ResultParts;
  target: {
    name: string;
    baseUrl: string;
    /**
     * The target was the built-in reference service, so no service of the user was tested. Omitted for any
     * other target.
     */
    builtIn?: true | undefined;
    /**
     * First 12 hexadecimal digits of the SHA-256 of the primary key, or `none`: distinguishes two keys
     * without revealing either.
     */
    keyFingerprint: string;
  };
  startedAt: string;
  finishedAt: string;
  exitCode: CauseMeaning["exitCode"];
  verdict: CauseMeaning["verdict"];
  /** What decided verdict and exit code. Where several apply, the first in this order. */
  cause: Cause;
  /**
   * Where the run was made. Commit and branch come from the variables of the CI; omitted where there are
   * none.
   */
  environment?:
    | {
        /** As typed, without secrets. */
        commandLine?: string | undefined;
        /** A secret was removed from the command line, which cannot be repeated as it is. */
        isIncomplete?: true | undefined;
        /**
         * The flags of the command line that name the target, the files with its settings and the folders. A
         * value with a secret is omitted.
         */
        placeFlags?:
          | {
              target?: string | undefined;
              baseUrl?: string | undefined;
              category?: string[] | undefined;
              envFile?: string | undefined;
              config?: string | undefined;
              out?: string | undefined;
            }
          | undefined;
        commit?: string | undefined;
        branch?: string | undefined;
        /** Processor, cores and system of the machine. */
        host: string;
        /** Version of Node. */
        node: string;
      }
    | undefined;
  /** Which part of the requirements that have checks has results. Omitted when all have. */
  scope?:
    | {
        requirements: number;
        of: number;
        /** Number of checks: a selected rule is left out when what provokes its responses is skipped. */
        checks: number;
        /** Number of all checks. */
        ofChecks: number;
      }
    | undefined;
  /**
   * Warnings about the input of the run, whatever its verdict: no category, a category without products, a
   * load that was not sent. Omitted when there is nothing.
   */
  notices?: F[] | undefined;
  /** Why the run ended early, or why its results could not be written. */
  problem?: Problem | undefined;
  /** Number of requirements by verdict. */
  summary: Record<Verdict, number>;
  /**
   * Requests of the conformance part; those of the load part are in `load`. `lost`: those outside of bursts that
   * got no complete response.
   */
  requests: {
    total: number;
    /** Of all these, those that were to exceed the rate limit. */
    burst?: number | undefined;
    lost?: F | undefined;
    /**
     * Requests that the service failed with 500 to 599, of those outside of bursts. Omitted when there are
     * none.
     */
    failed?: { count: number; total: number } | undefined;
  };
  requirements: RequirementResult<F>[];
  /** Exchanges of checks that did not pass, beyond those that are kept. Omitted when there are none. */
  exchangesLeftOut?: number | undefined;
  discovered: Discovered<F>;
  load: LoadResult<F>[];
  /** Waivers that apply to this run, and their states. */
  waivers?: WaiverResult[] | undefined;
  /** What capabilities add. Omitted when there is nothing. */
  parts?: ResultParts | undefined;
}

/** For each retailer: the number of different products seen, and how many of them have each field path. */
export type FieldsByRetailer = Record<string, { products: number; fields: Record<string, number> }>;

export interface Discovered<F = Finding> {
  /** Slugs that the primary key may use. Omitted where no list could be read. */
  retailers?: string[] | undefined;
  dialect: FieldNames;
  /** Paths of the fields seen on products, and how many of the different products have each. */
  fields: Record<string, number>;
  /** Observations of the rate limit. */
  rateLimit: {
    /** 429 responses. */
    refused: number;
    longestRetryAfterSeconds?: number | undefined;
    /**
     * Requests accepted in the burst that provokes the limit, before its first 429. Without a 429 in the
     * whole run, the limit is above it.
     */
    accepted?: number | undefined;
  };
  /** What the checks and the load need, each present, or missing with the reason. */
  fixtures: {
    name: string;
    present: boolean;
    /** A short description of what was found. */
    value?: string | undefined;
    missing?: F | undefined;
    /** For a key that is set but whose role is unclear: the reason. */
    doubt?: F | undefined;
  }[];
  fieldsByRetailer?: FieldsByRetailer | undefined;
  /** How many products had each type of JSON at a path, lists and objects included. */
  productsByType?: Record<string, Record<string, number>> | undefined;
  /** Categories that could be browsed. */
  categories?: string[] | undefined;
}
