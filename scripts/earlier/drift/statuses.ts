import type { Contract, Drift } from "../../../schemas/types.ts";
import { isGone, type Met } from "./chance.ts";
import { change } from "./change.ts";
import type { DriftRuleId } from "./rules.ts";

// Spec, Errors. How often 429 comes depends on how hard was asked: the limit has rules of its own.
const ofTheSpec: ReadonlySet<string> = new Set(["200", "400", "401", "403", "404"]);
const serverErrors: ReadonlySet<string> = new Set(["500", "502", "504"]);
const limited = "429";
/** What is asked beside the API (unknown paths, wrong methods) has no contract. */
const noEndpoint = "other";

/** Statuses that an endpoint answered with in one run and not in the other. */
export function statusDrift(before: Contract, after: Contract): Drift[] {
  return Object.keys(before.statuses)
    .filter((endpoint) => endpoint !== noEndpoint && Object.hasOwn(after.statuses, endpoint))
    .flatMap((endpoint) => {
      const old = before.statuses[endpoint] ?? {};
      const now = after.statuses[endpoint] ?? {};
      const statuses = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
        (status) => status !== limited,
      );
      return statuses.flatMap((status) => {
        const was = metOf(old, status);
        const is = metOf(now, status);
        const rule = ruleFor(status, was, is);
        if (rule === undefined) return [];
        const told = { before: share(was), after: share(is) };
        const statement = `${endpoint} answered ${status} to ${told.before} requests, and now to ${told.after}`;
        return [change(rule, { subject: `${status} from ${endpoint}`, ...told, statement })];
      });
    });
}

function ruleFor(status: string, before: Met, after: Met): DriftRuleId | undefined {
  if (before.hits === 0 && after.hits > 0) {
    if (serverErrors.has(status)) return "status.server-error";
    return ofTheSpec.has(status) ? "status.appeared" : "status.unknown";
  }
  if (!isGone(before, after)) return undefined;
  return status === "200" ? "status.no-success" : "status.gone";
}

function metOf(counts: Readonly<Record<string, number>>, status: string): Met {
  const of = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { hits: counts[status] ?? 0, of };
}

function share({ hits, of }: Met): string {
  return `${hits} of ${of}`;
}
