import { longestSeconds, plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import { plannedOf, totalSeconds } from "../../scenarios/lib/schedule.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { Finding, Profile } from "../../schemas/types.ts";
import { seriesPeriodSeconds } from "./series.ts";

/** What one k6 process may take before it is ended. */
export interface K6Bounds {
  readonly memoryBytes: number;
  /** Seconds from its start to its end; infinite when its arguments change how long it runs. */
  readonly seconds: number;
  /** Seconds without a message of its log or a line of its time series; what else it prints does not count. */
  readonly silentSeconds: number;
}

/** k6 itself takes some 80 MB; the rest is room for bodies that are large, and not without end. */
const baseBytes = 320e6;
/** A virtual user takes 0.5 MB; the rest is for the body that it holds. */
const bytesAUser = 2e6;
/** k6 keeps every sample of a trend, of several trends for each request. */
const bytesARequest = 512;
const mostOfMachine = 0.8;
const leastSilentSeconds = 60;

/** The bounds of each of `shards` processes that share a run, on a machine with so much memory. */
export function boundsOf(
  scenario: ScenarioId,
  profile: Profile,
  {
    shards,
    machineBytes,
    k6Args,
  }: { readonly shards: number; readonly machineBytes: number; readonly k6Args: readonly string[] },
): K6Bounds {
  const users = plannedVirtualUsers(scenario, profile);
  const wanted = baseBytes + (users * bytesAUser + plannedOf(profile, scenario) * bytesARequest) / shards;
  return {
    memoryBytes: Math.min(wanted, (machineBytes * mostOfMachine) / shards),
    seconds: k6Args.some(changesLength) ? Number.POSITIVE_INFINITY : longestSeconds(scenario, profile),
    silentSeconds: leastSilentSeconds + 2 * seriesPeriodSeconds(totalSeconds(profile.stages)),
  };
}

function changesLength(argument: string): boolean {
  return /^(--(duration|iterations|stage|paused)|-[disp])(=|$)/.test(argument);
}

/** What is seen of a process that runs. */
export interface Observation {
  readonly seconds: number;
  readonly silentSeconds: number;
  /** Undefined where the system does not show it. */
  readonly memoryBytes: number | undefined;
}

/** Share of the bound at which k6 may no longer end in good order. */
const farAbove = 1.15;

/** Which bound a process has passed, and whether it must go at once; undefined when none. */
export function boundPassed(
  { seconds, silentSeconds, memoryBytes = 0 }: Observation,
  bounds: K6Bounds,
): { readonly finding: Finding; readonly atOnce: boolean } | undefined {
  if (memoryBytes > bounds.memoryBytes) {
    const measured = { expected: bounds.memoryBytes, actual: memoryBytes, unit: "bytes" } as const;
    return {
      finding: { code: "k6-memory", ...measured, details: { seconds } },
      atOnce: memoryBytes > bounds.memoryBytes * farAbove,
    };
  }
  if (silentSeconds > bounds.silentSeconds) {
    return { finding: { code: "k6-silent", actual: silentSeconds, unit: "s" }, atOnce: false };
  }
  if (seconds > bounds.seconds) {
    const measured = { expected: bounds.seconds, actual: seconds, unit: "s" } as const;
    return { finding: { code: "k6-overdue", ...measured }, atOnce: false };
  }
  return undefined;
}

/** Ends a process that passes its bounds: first asked, then, when its memory grows on, at once. */
export interface Supervisor {
  /** Aborted when it is to end in good order. */
  readonly stop: AbortSignal;
  /** Aborted when it is to go at once. */
  readonly kill: AbortSignal;
  readonly reason: Finding | undefined;
  /** Notes a sign of life. */
  alive(): void;
  /** Looks at the process, with its memory where the system shows it. */
  look(memoryBytes: number | undefined): void;
}

/** Begins to supervise a process that starts now. `now` is a clock in milliseconds. */
export function supervise(bounds: K6Bounds, now: () => number = () => performance.now()): Supervisor {
  const stop = new AbortController();
  const kill = new AbortController();
  const startedAt = now();
  let aliveAt = startedAt;
  let reason: Finding | undefined;
  return {
    stop: stop.signal,
    kill: kill.signal,
    get reason() {
      return reason;
    },
    alive() {
      aliveAt = now();
    },
    look(memoryBytes) {
      const at = now();
      const observed = {
        seconds: (at - startedAt) / 1000,
        silentSeconds: (at - aliveAt) / 1000,
        memoryBytes,
      };
      const passed = boundPassed(observed, bounds);
      if (passed === undefined) return;
      reason ??= passed.finding;
      stop.abort();
      if (passed.atOnce) kill.abort();
    },
  };
}
