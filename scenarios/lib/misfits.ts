import { endpoints } from "../../schemas/api.ts";
import type { LoadClient } from "./client.ts";
import type { Environment } from "./environment.ts";
import { evidenceLine, logWarning } from "./log.ts";
import type { Response } from "./response-checker.ts";
import { isCertain, type Misfit, type TenantExchange } from "./tenant-fit.ts";

/** The volley in which a response does not fit. */
interface Volley {
  readonly at: number;
  readonly exchanges: readonly TenantExchange[];
  readonly responses: readonly Response[];
  readonly ids: readonly Readonly<Record<string, string>>[];
}

/** Confirms responses that do not fit their key, and keeps some as evidence. */
export interface MisfitReporter {
  /** Whether it is another organization's response, and not a change of the service. */
  report(misfit: Misfit, volley: Volley): boolean;
}

/** Repetitions, one request at a time, that tell a change of the service from a leak. */
const repetitions = 2;
/** Number of leaks that one virtual user keeps as evidence; the runner limits the total. */
const evidenceKept = 2;

export function createMisfitReporter(
  { settings, catalog, redaction }: Environment,
  clients: readonly LoadClient[],
): MisfitReporter {
  const { tenants = [] } = catalog;
  let kept = 0;

  return {
    report(misfit, volley) {
      const exchange = volley.exchanges[volley.at] as TenantExchange;
      if (!isCertain(misfit) && hasChanged(misfit, exchange)) return false;
      if (kept < evidenceKept) keep(misfit, volley);
      return true;
    },
  };

  /**
   * Whether the same comes again when the request is sent alone: then what the organization may see has changed since the start
   * of the run, or the service always responds so, which is for the conformance suite to say.
   */
  function hasChanged({ finding }: Misfit, { call }: TenantExchange): boolean {
    const client = clients[call.tenant] as LoadClient;
    const { what } = finding.details;
    const isOfList = what === "retailer" || what === "list";
    const again = isOfList ? { ...call, name: "retailers" as const, path: endpoints.retailers.path } : call;
    for (let count = 0; count < repetitions; count += 1) {
      const { body: _, ...bodiless } = again;
      const response = client.repeat(isOfList ? bodiless : again);
      const text = response.body ?? "";
      const isSame =
        what === "refusal"
          ? response.status === 403
          : what === "limit"
            ? Object.keys(tenants[call.tenant]?.rules.limits ?? {}).some(
                (name) => response.headers[name] === finding.actual,
              )
            : what === "list"
              ? slugsIn(text).length === finding.actual
              : what === "retailer"
                ? slugsIn(text).includes(String(finding.actual))
                : text.includes(JSON.stringify(String(finding.actual).split("/").at(-1)));
      if (!isSame) return false;
    }
    return true;
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

function slugsIn(text: string): string[] {
  try {
    const { retailers } = JSON.parse(text) as { retailers: { slug: string }[] };
    return retailers.map(({ slug }) => slug);
  } catch {
    return [];
  }
}
