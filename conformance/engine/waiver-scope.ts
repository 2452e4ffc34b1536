import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { stepsOf } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Outcome } from "../client/outcome.ts";
import { waiverCovers } from "../requirements/verdict.ts";

/**
 * The waiver of an outcome: of several narrowed ones, which waive it together, the first. Undefined when one of its findings
 * is outside of every waiver.
 */
export function waiverForOutcome(
  id: string,
  { findings, evidence }: Pick<Outcome, "findings" | "evidence">,
  waivers: readonly Waiver[],
): Waiver | undefined {
  const own = waivers.filter((waiver) => waiverCovers(waiver.id, id));
  const used = findings.map((finding) =>
    own.find((waiver) => isWithin(waiver, finding, evidence[finding.exchange ?? 0])),
  );
  return used.includes(undefined) ? undefined : (used[0] ?? own[0]);
}

/** Whether a waiver, if it is narrowed, extends to a finding about this exchange. */
export function isWithin({ only }: Waiver, finding: Finding, exchange: Exchange | undefined): boolean {
  if (only === undefined) return true;
  const { status, endpoint, category, field } = only;
  return (
    (status === undefined || exchange?.response.status === status) &&
    (endpoint === undefined || (finding.endpoint ?? exchange?.endpoint) === endpoint) &&
    (category === undefined || categoryOf(exchange) === category) &&
    (field === undefined || `.${fieldOf(finding)}`.endsWith(`.${field}`))
  );
}

function categoryOf(exchange: Exchange | undefined): string | undefined {
  return URL.parse(exchange?.request.url ?? "")?.searchParams.get("category") ?? undefined;
}

/** The field that a finding is about, with dots and without places in lists: `products.price`. */
function fieldOf({ path = "" }: Finding): string {
  return stepsOf(path)
    .filter((step) => !/^\d+$/.test(step))
    .join(".");
}
