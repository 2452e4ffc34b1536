import type { LoadClient } from "./client.ts";
import type { Environment } from "./environment.ts";
import { evidenceLine, logWarning } from "./log.ts";
import type { Response } from "./response-checker.ts";
import type { Misfit, MisfitFinder, TenantExchange } from "./tenant-fit.ts";

/** The volley in which a response does not fit. */
interface Volley {
  readonly at: number;
  readonly exchanges: readonly TenantExchange[];
  readonly responses: readonly Response[];
  readonly ids: readonly Readonly<Record<string, string>>[];
}

/** Confirms responses that do not fit their key, and keeps some as evidence. */
export interface MisfitReporter {
  /** Whether it is another organization's response only under load. */
  report(misfit: Misfit, volley: Volley): boolean;
}

/** Number of leaks that one virtual user keeps as evidence; the runner limits the total. */
const evidenceKept = 2;

export function createMisfitReporter(
  { settings, catalog, redaction }: Environment,
  clients: readonly LoadClient[],
  misfitOf: MisfitFinder,
): MisfitReporter {
  const { tenants = [] } = catalog;
  let kept = 0;

  return {
    report(misfit, volley) {
      if (comesAlone(misfit, volley)) return false;
      if (kept < evidenceKept) keep(misfit, volley);
      return true;
    },
  };

  /**
   * Whether the same comes when the request is sent alone: then what the organization may see has changed since the start of
   * the run, or the service always responds so, which is for the conformance suite to say.
   */
  function comesAlone({ finding }: Misfit, { at, exchanges }: Volley): boolean {
    const { call } = exchanges[at] as TenantExchange;
    const { status, body } = (clients[call.tenant] as LoadClient).repeat(call);
    const alone = exchanges.map((one, place) => (place === at ? { call, status, body: parsed(body) } : one));
    return misfitOf(alone, at)?.finding.actual === finding.actual;
  }

  /** Logs the exchange and the one that overlapped with it. */
  function keep({ finding, other }: Misfit, { at, exchanges, responses, ids }: Volley): void {
    kept += 1;
    const shown = (place: number) => {
      const { call } = exchanges[place] as TenantExchange;
      const response = responses[place] as Response;
      const id = ids[place]?.[settings.requestIdHeader];
      return {
        call,
        response,
        key: tenants[call.tenant]?.key ?? "primary",
        ...(id === undefined ? {} : { id: { [settings.requestIdHeader]: id } }),
      };
    };
    const own = shown(at);
    logWarning(
      evidenceLine(own.call, finding, own.response, redaction, { ...own, overlapping: shown(other) }),
    );
  }
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
