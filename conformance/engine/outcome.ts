import type { CheckResult, Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { valueAt } from "../response/body-path.ts";

/** What a check found: the verdict before level and waiver are applied. */
export interface Outcome {
  readonly kind: CheckResult["verdict"];
  /** The most telling first; of a passed check, which of several allowed readings was seen. */
  readonly findings: readonly Finding[];
  /** Exchanges that show it, by whose index findings name them. Where there are none, the last that were asked are shown. */
  readonly evidence: readonly Exchange[];
  /** Of a failure that did not show in each attempt. */
  readonly attempts?: NonNullable<CheckResult["attempts"]>;
}

/** The target meets the requirement; the findings tell which of several allowed readings was seen. */
export function passed(
  findings: Finding | readonly Finding[] = [],
  ...evidence: readonly Exchange[]
): Outcome {
  return outcome("pass", findings, evidence);
}

/** The target does not meet the requirement. The first exchange shows it, unless a finding names another by its index. */
export function failed(findings: Finding | readonly Finding[], ...evidence: readonly Exchange[]): Outcome {
  return outcome("fail", findings, evidence);
}

/** Breaks no requirement, and a person should look at it. */
export function warning(findings: Finding | readonly Finding[], ...evidence: readonly Exchange[]): Outcome {
  return outcome("warn", findings, evidence);
}

/** Thrown where a check cannot go on, for a reason that its response is not to blame for. */
export class NotJudged extends Error {
  override readonly name = "NotJudged";
  readonly finding: Finding;
  /** The exchange that shows why. */
  readonly exchange: Exchange | undefined;

  constructor(finding: Finding, { exchange, ...options }: ErrorOptions & { exchange?: Exchange } = {}) {
    super(finding.code, options);
    this.finding = finding;
    this.exchange = exchange;
  }

  /** What a check comes to that could not go on. */
  outcome(): Outcome {
    return outcome("inconclusive", this.finding, this.exchange === undefined ? [] : [this.exchange]);
  }
}

/** What a crash of the harness itself makes of a check: never a verdict about the target. */
export function crashed(error: unknown): Outcome {
  return outcome("error", { code: "harness-error", actual: String(error) }, []);
}

/** Status and error code of a response, as a finding carries them. */
export function statusOf({ response }: Exchange): Pick<Finding, "actual" | "details"> {
  const errorCode = valueAt(response.json, "/error/code");
  return {
    actual: response.status,
    ...(typeof errorCode === "string" ? { details: { errorCode } } : {}),
  };
}

function outcome(
  kind: Outcome["kind"],
  findings: Finding | readonly Finding[],
  evidence: readonly Exchange[],
): Outcome {
  const complete = (finding: Finding): Finding => {
    const exchange = finding.exchange ?? 0;
    const shown = evidence[exchange];
    return shown === undefined ? finding : { endpoint: shown.endpoint, ...finding, exchange };
  };
  return { kind, findings: [findings].flat().map(complete), evidence };
}
