import type { Environment } from "./environment.ts";
import { evidenceLine, type LoggedExchange, log } from "./log.ts";
import type { Response } from "./response-checker.ts";
import type { Misfit, MisfitFinder, TenantExchange } from "./tenant-fit.ts";

/** The volley in which a response does not fit. */
interface Volley {
  readonly at: number;
  readonly exchanges: readonly TenantExchange[];
  readonly responses: readonly Response[];
}

/** Confirms a response that does not fit its key, and keeps some as evidence; false if it is no leak under load. */
export type MisfitReporter = (misfit: Misfit, volley: Volley) => boolean;

/** Number of leaks that one virtual user keeps as evidence; the runner limits the total. */
const evidenceKept = 2;

/** @param sendAlone sends a request once more, alone */
export function createMisfitReporter(
  { settings, catalog, redaction }: Environment,
  sendAlone: (call: TenantExchange["call"]) => TenantExchange,
  misfitOf: MisfitFinder,
): MisfitReporter {
  const { tenants = [] } = catalog;
  let kept = 0;

  return ({ finding, other }, { at, exchanges, responses }) => {
    const own = exchanges[at] as TenantExchange;
    // If the same comes to the request alone, what the organization may see has changed since the start of the run, or the
    // service always responds so, which is for the conformance suite to say.
    const again = sendAlone(own.call);
    const alone = exchanges.map((one, place) => (place === at ? again : one));
    if (misfitOf(alone, at)?.finding.actual === finding.actual) return false;
    if (kept >= evidenceKept) return true;
    kept += 1;
    const exchangeAt = (place: number): LoggedExchange => {
      const { call } = exchanges[place] as TenantExchange;
      return { call, response: responses[place] as Response, key: tenants[call.tenant]?.key ?? "primary" };
    };
    const { requestIdHeader } = settings;
    log.warn(
      evidenceLine(finding, exchangeAt(at), { redaction: redaction(), requestIdHeader }, exchangeAt(other)),
    );
    return true;
  };
}
