import { peakRate, totalSeconds } from "../../scenarios/lib/schedule.ts";
import type { Profile } from "../../schemas/types.ts";

/** What flags change in a profile. */
export interface LoadOverrides {
  /** Peak requests a second: the whole shape is scaled to it. */
  readonly rate?: number | undefined;
  /** Length: all stages are stretched or shortened alike. */
  readonly durationSeconds?: number | undefined;
  /** Virtual users of open traffic, and walkers of paging. */
  readonly vus?: number | undefined;
}

/** The profile with the overrides in it; its shape stays. */
export function overrideProfile(profile: Profile, overrides: LoadOverrides = {}): Profile {
  const { rate, durationSeconds, vus } = overrides;
  const peak = peakRate(profile.stages);
  const length = totalSeconds(profile.stages);
  const rateScale = rate === undefined || peak === 0 ? 1 : rate / peak;
  const timeScale = durationSeconds === undefined || length === 0 ? 1 : durationSeconds / length;
  const stages = profile.stages.map((stage) => ({
    seconds: thousandths(stage.seconds * timeScale),
    rate: thousandths(stage.rate * rateScale),
  }));
  return { ...profile, stages, ...(vus === undefined ? {} : { virtualUsers: vus, walkers: vus }) };
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
