import type { Target } from "../../conformance/client/target.ts";
import { virtualUsersOf } from "../../scenarios/lib/options.ts";
import { openTraffic, rateLimitMode, requestRate } from "../../scenarios/lib/schedule.ts";
import { type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import type { Finding, Profile } from "../../schemas/types.ts";
import { UsageError } from "../errors.ts";
import { type LoadOverrides, overrideProfile } from "./plan.ts";

type Bounds = Pick<Target, "name" | "avoid" | "maxRequestsPerSecond" | "maxConcurrency" | "way" | "proxy">;

interface Traffic {
  readonly scenario: ScenarioId;
  readonly profile: Profile;
  readonly overrides?: LoadOverrides | undefined;
}

/**
 * Reduces traffic to the limits that are configured for its target, with a note for each reduction.
 *
 * @throws UsageError when a flag exceeds a limit, when the scenario cannot stay within it, or when k6 cannot connect as
 *   configured.
 */
export function withinBounds(
  { scenario, profile, overrides = {} }: Traffic,
  { name, avoid, maxRequestsPerSecond: mostRate, maxConcurrency: mostUsers, way, proxy }: Bounds,
): { readonly profile: Profile; readonly overrides: LoadOverrides; readonly notes: readonly Finding[] } {
  const where = `target ${name}`;
  if (way?.tls?.serverName !== undefined && proxy !== undefined) {
    // k6 takes the server name from the URL, and the proxy would connect to the host of that name.
    throw new UsageError({
      what: "k6 cannot use another server name (serverName) through a proxy",
      where,
      fix: `Put ${way.tls.serverName} into the base URL if the proxy resolves it, or connect directly (proxy: "none").`,
    });
  }
  if (scenario === "rate-limit") refuseProbe();
  const notes: Finding[] = [];
  let asked = overrideProfile(profile, scenario, overrides);
  const rate = requestRate(asked, scenario);
  let { rate: rateAsked } = overrides;
  if (mostRate !== undefined && rate > mostRate) {
    if (rateAsked !== undefined) {
      throw new UsageError({
        what: `--rate ${rateAsked} exceeds the target's limit of ${mostRate} requests per second`,
        where,
        fix: `Use --rate ${mostRate} or less, or raise the target's maxRequestsPerSecond.`,
      });
    }
    rateAsked = mostRate;
    notes.push({ code: "rate-bounded", expected: rate, actual: mostRate, unit: "requests/s" });
    asked = overrideProfile(asked, scenario, { rate: mostRate });
  }
  const users = usersOf(asked, scenario);
  if (mostUsers === undefined || users <= mostUsers) {
    return { profile, overrides: { ...overrides, rate: rateAsked }, notes };
  }
  // `vus` sets the number of users of each kind of open traffic, and of walkers.
  const each = Math.floor(mostUsers / scenarios[scenario].traffic.length);
  if (overrides.vus !== undefined || each === 0) {
    throw new UsageError({
      what: `${scenario} needs ${users} virtual users, more than the target's limit of ${mostUsers} concurrent requests`,
      where,
      fix:
        each === 0
          ? "Choose a scenario with one kind of traffic, or raise the target's maxConcurrency."
          : `Use --vus ${each} or less, or raise the target's maxConcurrency.`,
    });
  }
  notes.push({ code: "users-bounded", expected: users, actual: each * scenarios[scenario].traffic.length });
  return { profile, overrides: { ...overrides, rate: rateAsked, vus: each }, notes };

  // The scenario sends without waiting for responses, and a probe increases its rate until requests are refused.
  function refuseProbe(): void {
    const bound =
      mostUsers !== undefined
        ? "maxConcurrency"
        : rateLimitMode(profile) === "polite" && profile.rateLimit?.perSecond !== undefined
          ? undefined
          : mostRate !== undefined
            ? "maxRequestsPerSecond"
            : avoid?.includes("burst")
              ? 'avoid: ["burst"]'
              : undefined;
    if (bound === undefined) return;
    throw new UsageError({
      what: `The scenario rate-limit exceeds the limits set for the target (${bound})`,
      where,
      fix: "Choose another scenario, or a polite profile with rateLimit.perSecond; or remove the setting if the target's rate limit may be exceeded.",
    });
  }
}

/** Maximum number of concurrent requests. */
function usersOf(profile: Profile, scenario: ScenarioId): number {
  const open = openTraffic(scenario).reduce((sum, traffic) => sum + virtualUsersOf(profile, traffic), 0);
  const walks = scenarios[scenario].traffic.some((traffic) => traffic === "paging");
  return open + (walks ? profile.walkers : 0);
}
