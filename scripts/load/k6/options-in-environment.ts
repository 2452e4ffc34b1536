import { listed } from "../../../schemas/words/format.ts";
import { UsageError } from "../../errors.ts";

/**
 * Variables that k6 reads as options and prefers to those of a script: with one of them, k6 would send another load than
 * the profile says, or leave out its thresholds, or write headers with keys to its log.
 */
const overridingVariables = [
  "K6_VUS",
  "K6_ITERATIONS",
  "K6_DURATION",
  "K6_STAGES",
  "K6_RPS",
  "K6_EXECUTION_SEGMENT",
  "K6_EXECUTION_SEGMENT_SEQUENCE",
  "K6_PAUSED",
  "K6_NO_SETUP",
  "K6_NO_TEARDOWN",
  "K6_NO_THRESHOLDS",
  "K6_NO_SUMMARY",
  "K6_SYSTEM_TAGS",
  "K6_DISCARD_RESPONSE_BODIES",
  "K6_NO_CONNECTION_REUSE",
  "K6_NO_VU_CONNECTION_REUSE",
  "K6_MIN_ITERATION_DURATION",
  "K6_HTTP_DEBUG",
];

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
  const set = overridingVariables.filter((name) => env[name]);
  if (set.length === 0) return;
  throw new UsageError({
    what: "k6 would read options from the environment in place of those of the profile",
    where: listed(set),
    fix: `Unset ${set.length === 1 ? "it" : "them"}. Rates and durations belong in a profile, or in --rate and --duration.`,
  });
}
