import type { Profile } from "../schemas/contracts/profile.ts";
import { constantRate } from "./lib/schedule.ts";

/** Limits that an ordinary service meets at an ordinary rate. */
const limits = {
  p95Milliseconds: 500,
  p99Milliseconds: 1500,
  failedShare: 0.01,
  invalidShare: 0,
  droppedShare: 0.01,
};

/**
 * The named load profiles: the traffic over time and its limits, of which each scenario makes k6 options.
 * Your own belong under `profiles` in shelfcheck.config.ts.
 */
export const profiles = {
  smoke: {
    description: "A few seconds of gentle traffic: does everything work, is every response well formed?",
    stages: constantRate(10, 4),
    walkers: 1,
    maxResponseSeconds: 2,
    thresholds: { p95Milliseconds: 1000, failedShare: 0.01, invalidShare: 0, droppedShare: 0 },
  },
  gate: {
    description:
      "What a gate sends: a polite rate until the failures are judged or none came in 40 seconds, at most 190.",
    stages: constantRate(12, 190),
    walkers: 1,
    maxResponseSeconds: 2,
    untilJudged: true,
    newConnections: true,
    thresholds: { p95Milliseconds: 1000, failedShare: 0.01, invalidShare: 0, droppedShare: 0.01 },
  },
  average: {
    description: "An ordinary day: a ramp to the usual rate, ten minutes of it, a ramp down.",
    stages: [
      { seconds: 60, rate: 50 },
      { seconds: 600, rate: 50 },
      { seconds: 30, rate: 0 },
    ],
    walkers: 2,
    maxResponseSeconds: 2,
    thresholds: limits,
  },
  stress: {
    description: "Above the usual rate: steps up to four times the average, each long enough to settle.",
    stages: [
      { seconds: 60, rate: 50 },
      { seconds: 120, rate: 50 },
      { seconds: 60, rate: 100 },
      { seconds: 120, rate: 100 },
      { seconds: 60, rate: 200 },
      { seconds: 120, rate: 200 },
      { seconds: 60, rate: 0 },
    ],
    walkers: 4,
    maxResponseSeconds: 3,
    thresholds: { ...limits, p95Milliseconds: 1000, p99Milliseconds: 3000, failedShare: 0.02 },
  },
  spike: {
    description: "A sudden crowd: from the usual rate to ten times it within five seconds, and back.",
    stages: [
      { seconds: 0, rate: 20 },
      { seconds: 30, rate: 20 },
      { seconds: 5, rate: 200 },
      { seconds: 60, rate: 200 },
      { seconds: 5, rate: 20 },
      { seconds: 60, rate: 20 },
    ],
    walkers: 2,
    maxResponseSeconds: 3,
    thresholds: { ...limits, p95Milliseconds: 1500, p99Milliseconds: 4000, failedShare: 0.05 },
  },
  soak: {
    description: "Hours at the usual rate: does anything leak, fill or slow down?",
    stages: [
      { seconds: 120, rate: 40 },
      { seconds: 14_160, rate: 40 },
      { seconds: 120, rate: 0 },
    ],
    walkers: 2,
    maxResponseSeconds: 2,
    thresholds: limits,
  },
  breakpoint: {
    description: "A slow increase until a limit is exceeded: the report shows the rate at which it was.",
    stages: [
      { seconds: 0, rate: 10 },
      { seconds: 1200, rate: 1000 },
    ],
    walkers: 2,
    maxResponseSeconds: 2,
    findsCapacity: true,
    thresholds: { ...limits, p95Milliseconds: 1000, p99Milliseconds: 3000 },
  },
  probe: {
    description: "With the rate-limit scenario: above the limit without waiting, to learn what it is.",
    stages: constantRate(10, 15),
    walkers: 1,
    maxResponseSeconds: 2,
    rateLimit: { mode: "probe" },
    thresholds: limits,
  },
  polite: {
    description: "With the rate-limit scenario: as much as the limit accepts, waiting as Retry-After says.",
    stages: constantRate(1000, 60),
    walkers: 1,
    maxResponseSeconds: 2,
    rateLimit: { mode: "polite" },
    thresholds: limits,
  },
} satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;
