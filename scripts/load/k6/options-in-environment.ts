import { listed } from "../../../schemas/words/format.ts";
import { UsageError } from "../../errors.ts";

/** k6 prefers these to its script's options: another load, no thresholds, or headers with keys in its log. */
const overriding =
  /^K6_(VUS|ITERATIONS|DURATION|STAGES|RPS|EXECUTION_SEGMENT(_SEQUENCE)?|PAUSED|NO_(SETUP|TEARDOWN|THRESHOLDS|SUMMARY|CONNECTION_REUSE|VU_CONNECTION_REUSE)|SYSTEM_TAGS|DISCARD_RESPONSE_BODIES|MIN_ITERATION_DURATION|HTTP_DEBUG)$/;

/** Variables of k6 that reach it: those of its outputs, of the address of its dashboard, and of DNS. */
const passedOn = /^K6_(OUT|DNS|WEB_DASHBOARD_(HOST|PORT)|(PROMETHEUS_RW|INFLUXDB|OTEL|CSV|CLOUD)_.*)$/;

/** The environment without the variables of k6 that would change a run. */
export function k6Environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith("K6_") || passedOn.test(name)),
  );
}

/** @throws UsageError when the environment would change what k6 does. */
export function refuseK6Options(env: NodeJS.ProcessEnv): void {
  const set = Object.keys(env).filter((name) => overriding.test(name) && env[name]);
  if (set.length === 0) return;
  throw new UsageError({
    what: "k6 would read options from the environment in place of those of the profile",
    where: listed(set),
    fix: `Unset ${set.length === 1 ? "it" : "them"}. Rates and durations belong in a profile, or in --rate and --duration.`,
  });
}
