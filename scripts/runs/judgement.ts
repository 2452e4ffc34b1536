import type { JudgedShare, LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../schemas/contracts/results.ts";
import { type Cause, causes } from "../../schemas/contracts/verdicts.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";
import type { ExitCode } from "../errors.ts";

// Why did a run exit with 4, or 1? Each part is decided in one place:
// - the causes of a run, their order, and the verdict and exit code of each: the table in schemas/contracts/verdicts.ts
// - which of these causes apply to a run: here
// - the verdict of a requirement, from its checks and waivers: conformance/requirements/verdict.ts
// - the verdict of a load run, from its thresholds: scripts/load/rules.ts
// - the outcome of two deployments that were asked the same: scripts/twin/
// - the verdict of a comparison of runs, which has causes of its own: scripts/earlier/compare-runs.ts

type Twin = NonNullable<Results["twin"]>;

/** What the verdict of a run depends on. */
export interface Judged {
  readonly requirements: readonly Pick<RequirementResult, "verdict" | "level" | "excused">[];
  readonly load: readonly Pick<LoadResult, "verdict">[];
  /** Default: the target was not compared with another deployment */
  readonly twin?:
    | (Pick<Twin, "outcome"> & { readonly latency: readonly Pick<Twin["latency"][number], "outcome">[] })
    | undefined;
  readonly waivers: readonly Pick<WaiverResult, "state">[];
  /** The contract changed since an earlier run in a way that breaks clients. */
  readonly contractBroken: boolean;
  /** Something prevented the run or ended it early. */
  readonly problem: boolean;
  readonly interrupted: boolean;
  /** Failed requests of conformance against the limit of the config; omitted without one. */
  readonly failures?: Pick<JudgedShare, "outcome"> | undefined;
  /** Only some of the requirements were selected. */
  readonly partial: boolean;
  /** No load was sent, because no products were found. Default: false */
  readonly loadMissing?: boolean;
}

/** Verdict and exit code of a run, with the cause that decided them. */
export interface RunJudgement {
  readonly verdict: Results["verdict"];
  readonly exitCode: ExitCode;
  readonly cause: Cause;
}

/**
 * Decides the verdict of a run. A failure decides it, whatever else happened. So do a breaking change of the contract, and
 * an expired or stale waiver, because a run that passes only with such a waiver will not keep passing. Next comes what
 * ended the run early, then what was not judged. A run that judged nothing never passes.
 */
export function judge(judged: Judged): RunJudgement {
  const applies = causesOf(judged);
  const cause = (Object.keys(causes) as Cause[]).find((one) => one !== "none" && applies[one]) ?? "none";
  const { verdict, exitCode } = causes[cause];
  if (!judged.interrupted) return { verdict, exitCode, cause };
  // An interrupted run did not judge the rest, so without a failure it is incomplete.
  return verdict === "violations"
    ? { verdict, exitCode: 130, cause }
    : { verdict: "incomplete", exitCode: 130, cause: "interrupted" };
}

function causesOf(judged: Judged): Record<Exclude<Cause, "none">, boolean> {
  const { requirements, load, twin, waivers, contractBroken, problem, interrupted, partial, failures } =
    judged;
  const requirement = (...verdicts: RequirementResult["verdict"][]): boolean =>
    requirements.some(({ verdict }) => verdicts.includes(verdict));
  const anyLoad = (verdict: LoadResult["verdict"]): boolean => load.some((one) => one.verdict === verdict);
  const waiver = (state: WaiverResult["state"]): boolean => waivers.some((one) => one.state === state);
  return {
    "requirement-failed": requirement("fail"),
    "load-failed": anyLoad("fail"),
    "requests-failed": failures?.outcome === "above",
    "contract-broken": contractBroken,
    "responses-differ": twin?.outcome === "different",
    "latency-slower": twin?.latency.some(({ outcome }) => outcome === "slower") === true,
    "waiver-expired": waiver("expired"),
    "waiver-stale": waiver("stale"),
    problem,
    "nothing-run": requirements.length === 0 && load.length === 0 && twin === undefined,
    "check-error": requirement("error"),
    "load-invalid": anyLoad("invalid"),
    interrupted,
    "not-judged": requirements.some(
      ({ verdict, level, excused }) =>
        verdict === "inconclusive" && level === "must" && excused === undefined,
    ),
    "twin-not-judged": twin?.outcome === "inconclusive",
    "nothing-judged": load.length === 0 && twin === undefined && !requirement("pass", "warn", "fail"),
    "load-not-sent": judged.loadMissing ?? false,
    partial,
  };
}
