import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import type { Exchange } from "../../client/exchange.ts";
import { failed, type Outcome, passed, statusOf } from "../../requirements/outcome.ts";

/** What was special about a request, as fields of a finding. */
export type FindingContext = Pick<FindingOf<"wrong-status">, "condition" | "subject" | "product" | "details">;

/** Passed when the response has the status, or one of several that the spec allows. The control is shown beside it. */
export function hasStatus(
  exchange: Exchange,
  expected: number | readonly number[],
  circumstances: FindingContext,
  control?: Exchange,
): Outcome {
  const allowed = [...new Set([expected].flat())];
  const evidence = control === undefined ? [exchange] : [exchange, control];
  const { response } = exchange;
  if (allowed.includes(response.status)) {
    const answered: Finding = { code: "answered", expected: allowed, actual: response.status };
    return passed(answered, ...evidence);
  }
  const { actual, details } = statusOf(exchange);
  const finding: Finding = {
    code: "wrong-status",
    expected: allowed,
    actual,
    ...circumstances,
    details: { ...circumstances.details, ...details },
  };
  return failed(finding, ...evidence);
}
