import {
  longestSeconds,
  mostUnderWay,
  plannedVirtualUsers,
  responsesHeld,
} from "../../scenarios/lib/options.ts";
import { plannedOf } from "../../scenarios/lib/schedule.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";

/** Limits of a k6 process. If it exceeds one, it is stopped. */
export interface K6Bounds {
  readonly memoryBytes: number;
  /** Longest run time; infinite if `--k6-arg` changes the duration. */
  readonly seconds: number;
}

/** k6 itself uses about 80 MB. The rest leaves room for large bodies. */
const baseBytes = 320e6;
/** A virtual user takes 0.5 MB. The rest is for the code that it loads when a response is invalid, and for large bodies. */
const bytesAUser = 1.5e6;
/** For each response that a virtual user holds: its body, and its value. */
const bytesAResponse = 0.5e6;
/** For each request of a probe that waits for its response; 3,000 at once were measured to take 95 MB, without HTTP/2 240 MB. */
const bytesAWaiting = 0.1e6;
/** k6 keeps every sample of several trend metrics in memory. */
export const bytesARequest = 512;
const mostOfMachine = 0.8;
/** Limits of the k6 of a run, on a machine with `machineBytes` of memory. */
export function boundsOf(
  scenario: ScenarioId,
  profile: Profile,
  { machineBytes, k6Args }: { readonly machineBytes: number; readonly k6Args: readonly string[] },
): K6Bounds {
  const users = plannedVirtualUsers(scenario, profile);
  const held = responsesHeld(scenario, profile);
  const wanted =
    baseBytes +
    (scenario === "rate-limit" ? mostUnderWay * bytesAWaiting : 0) +
    users * bytesAUser +
    held * bytesAResponse +
    plannedOf(profile, scenario) * bytesARequest;
  return {
    memoryBytes: Math.min(wanted, machineBytes * mostOfMachine),
    seconds: k6Args.some(changesLength) ? Number.POSITIVE_INFINITY : longestSeconds(scenario, profile),
  };
}

/** Part of the memory limit above which Go collects garbage ever more often. */
const mostBeforeEffort = 0.85;
/** What k6 keeps by itself, and for each response that a virtual user may hold. */
const keptBytes = 20e6;
const keptBytesAResponse = 0.2e6;
/** What k6 may allocate from one collection to the next. */
const garbageBytes = 80e6;
/** Go's own value: it collects when the memory has doubled. */
const goDefaultPercent = 100;

/**
 * Environment variables that set the garbage collector of a k6 process. With few virtual users, k6 keeps so little that Go
 * collects every few hundred requests, and a fifth of the CPU of a request is the collector's (`npm run bench -- load cpu`).
 * GOGC gives it about 80 MB between two collections; GOMEMLIMIT makes it collect more often near the limit.
 */
export function collectorVariables({
  responses,
  memoryBytes,
}: {
  /** Responses that the virtual users of this k6 process may hold at the same time: one each, except in volleys. */
  readonly responses: number;
  /** Memory at which the process is stopped. */
  readonly memoryBytes: number;
}): { readonly GOGC: string; readonly GOMEMLIMIT: string } {
  const percent = Math.round((100 * garbageBytes) / (keptBytes + responses * keptBytesAResponse));
  return {
    GOGC: String(Math.max(goDefaultPercent, percent)),
    GOMEMLIMIT: `${Math.round(memoryBytes * mostBeforeEffort)}B`,
  };
}

function changesLength(argument: string): boolean {
  return /^(--(duration|iterations|stage|paused)|-[disp])(=|$)/.test(argument);
}

/** Multiple of the memory limit above which k6 is killed rather than asked to stop. */
const farAbove = 1.15;

/** Stops a process that exceeds its limits: first gracefully, then by force if its memory keeps growing. */
export interface Supervisor {
  /** Aborted when the process must stop gracefully. */
  readonly stop: AbortSignal;
  /** Aborted when the process must be killed. */
  readonly kill: AbortSignal;
  /** The limit that it exceeded first. */
  readonly reason: Finding | undefined;
  /** Whether it was ended because it has found what it was sent for. */
  readonly isFinished: boolean;
  /** Ends it gracefully, because it has found what it was sent for. */
  finish(): void;
  /** Checks the limits, with the memory in bytes where the system reports it. */
  look(memoryBytes: number | undefined): void;
}

/** Starts to supervise a process that starts now. `now` is a clock in milliseconds. */
export function supervise(bounds: K6Bounds, now: () => number = () => performance.now()): Supervisor {
  const stop = new AbortController();
  const kill = new AbortController();
  const startedAt = now();
  let reason: Finding | undefined;
  let isFinished = false;
  const end = (passed: Finding) => {
    reason ??= passed;
    isFinished = false;
    stop.abort();
  };
  return {
    stop: stop.signal,
    kill: kill.signal,
    get reason() {
      return reason;
    },
    get isFinished() {
      return isFinished;
    },
    finish() {
      if (stop.signal.aborted) return;
      isFinished = true;
      stop.abort();
    },
    look(memoryBytes = 0) {
      const seconds = (now() - startedAt) / 1000;
      if (memoryBytes > bounds.memoryBytes) {
        const measured = { expected: bounds.memoryBytes, actual: memoryBytes, unit: "bytes" } as const;
        end({ code: "k6-memory", ...measured, details: { seconds } });
        if (memoryBytes > bounds.memoryBytes * farAbove) kill.abort();
      } else if (seconds > bounds.seconds) {
        end({ code: "k6-overdue", expected: bounds.seconds, actual: seconds, unit: "s" });
      }
    },
  };
}
