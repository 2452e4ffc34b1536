import type { Finding, FindingOf, RequestDetails } from "../../schemas/contracts/finding.ts";
import type { CheckResult } from "../../schemas/contracts/results.ts";
import { valueAt } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { NoResponse } from "../client/no-response.ts";

/** The outcome of a check, before requirement level and waivers are applied. */
export interface Outcome {
  readonly kind: CheckResult["verdict"];
  /**
   * The most important finding first. Findings of a passed check say which of several allowed behaviours was
   * observed.
   */
  readonly findings: readonly Finding[];
  /** The exchanges that findings refer to by index. When empty, the last exchanges of the check are shown. */
  readonly evidence: readonly Exchange[];
  /** The same as `findings` of each product of which it is true: in no report, and another attempt may find one again. */
  readonly others?: readonly Finding[] | undefined;
  /** Present when a failure did not occur in each attempt. */
  readonly attempts?: NonNullable<CheckResult["attempts"]>;
}

/** The target meets the requirement. Findings say which of several allowed behaviours was observed. */
export function passed(
  findings: Finding | readonly Finding[] = [],
  ...evidence: readonly Exchange[]
): Outcome {
  return outcome("pass", findings, evidence);
}

/** The target does not meet the requirement. Findings refer to the first exchange unless they name another index. */
export function failed(findings: Finding | readonly Finding[], ...evidence: readonly Exchange[]): Outcome {
  return outcome("fail", findings, evidence);
}

/** The failures of one check, with the exchanges of each; passed without any. */
export function together(failures: readonly Outcome[]): Outcome {
  const evidence: Exchange[] = [];
  const findings = failures.flatMap((one) => {
    const { length } = evidence;
    evidence.push(...one.evidence);
    return one.findings.map(({ exchange = 0, comparedWith, ...finding }) => {
      const beside = comparedWith === undefined ? {} : { comparedWith: length + comparedWith };
      return { ...finding, exchange: length + exchange, ...beside } as Finding;
    });
  });
  if (findings.length === 0) return passed();
  return { ...failed(findings, ...evidence), others: failures.flatMap(({ others = [] }) => others) };
}

/** No requirement is violated, but a person should look at it. */
export function warning(findings: Finding | readonly Finding[], ...evidence: readonly Exchange[]): Outcome {
  return outcome("warn", findings, evidence);
}

/** The check does not fit this target, which says nothing about the requirement. */
export function notApplicable(finding: Finding): Outcome {
  return outcome("notApplicable", finding, []);
}

export class NotJudged extends Error {
  override readonly name = "NotJudged";
  readonly finding: Finding;
  readonly exchange: Exchange | undefined;

  constructor(finding: Finding, exchange?: Exchange) {
    super(finding.code);
    this.finding = finding;
    this.exchange = exchange;
  }

  outcome(): Outcome {
    return outcome("inconclusive", this.finding, this.exchange === undefined ? [] : [this.exchange]);
  }
}

/** Why something was not judged or not found, if that is not the harness's own failure. @throws The error, if it is. */
export function reasonOf(error: unknown): Finding {
  if (error instanceof NoResponse) return error.reason;
  if (error instanceof NotJudged) return error.finding;
  throw error;
}

/** The outcome when the harness itself fails: never a verdict about the target. */
export function crashed(error: unknown): Outcome {
  return outcome("error", { code: "harness-error", actual: String(error) }, []);
}

/** The status and error code of a response, as fields of a finding. */
export function statusOf({ response }: Exchange): Pick<FindingOf<"control-failed">, "actual" | "details"> {
  const errorCode = valueAt(response.json, "/error/code");
  return {
    actual: response.status,
    ...(typeof errorCode === "string" ? { details: { errorCode } } : {}),
  };
}

/** A control itself. @throws NotJudged when it did not succeed. */
export function mustSucceed(exchange: Exchange): Exchange {
  if (exchange.response.status === 200) return exchange;
  throw new NotJudged({ code: "control-failed", ...statusOf(exchange) }, exchange);
}

function outcome(
  kind: Outcome["kind"],
  findings: Finding | readonly Finding[],
  evidence: readonly Exchange[],
): Outcome {
  const complete = (finding: Finding): Finding => {
    const exchange = finding.exchange ?? 0;
    const shown = evidence[exchange];
    return shown === undefined ? finding : Object.assign({ endpoint: shown.endpoint }, finding, { exchange });
  };
  return { kind, findings: [findings].flat().map(complete), evidence };
}

/** What was found, and where: the code and the path, in any entry of a list. */
export function placeOf({ code, path = "" }: Finding): string {
  return `${code} ${path.replaceAll(/\/\d+(?=\/|$)/g, "/*")}`;
}

/**
 * Two findings with one key are the same. Where a catalog moves, another product on its pages is another finding, and so is
 * another kind of hostile input or another spelling: a service that fails at times fails on any. Which of its fields show
 * another product is chance.
 */
export function keyOf(finding: Finding): string {
  const { code, subject = "", endpoint, product, details } = finding;
  const { kind, spelling, sent } = (details ?? {}) as RequestDetails;
  const isOfPage = endpoint === "category-page";
  const place = code === "other-product" ? code : placeOf(finding);
  return JSON.stringify([place, subject, isOfPage && product, kind, spelling, sent]);
}
