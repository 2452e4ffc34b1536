import type { RateLimitResult } from "../../../schemas/types.ts";
import { type Html, html } from "./markup.ts";
import { facts } from "./parts.ts";
import { figure, grouped, milliseconds, percent } from "./words.ts";

/** What the rate-limit scenario learned. */
export function renderRateLimit(result: RateLimitResult): Html {
  const { mode, limit, highestRate, refusedShare, promises, otherOrganization, polite } = result;
  return html`<h4>Rate limit, ${mode === "probe" ? "probed from above" : "asked politely"}</h4>${facts([
    [
      "Limit",
      limit === undefined
        ? "none found"
        : `${figure(limit.perSecond)} /s (${figure(limit.low)} to ${figure(limit.high)})`,
    ],
    ["Kind", limit === undefined ? undefined : kind(limit)],
    ["Burst", limit === undefined ? undefined : grouped(limit.burst)],
    ["Highest rate probed", highestRate === undefined ? undefined : `${figure(highestRate)} /s`],
    ["Refused", refusedShare === undefined ? undefined : percent(refusedShare)],
    [
      "Let in when Retry-After had passed",
      promises === undefined ? undefined : `${grouped(promises.kept)} of ${grouped(promises.tried)}`,
    ],
    [
      "Another organization meanwhile",
      otherOrganization === undefined
        ? undefined
        : `${grouped(otherOrganization.refused)} of ${grouped(otherOrganization.requests)} refused`,
    ],
    ["Let in", polite === undefined ? undefined : `${figure(polite.goodput)} /s`],
    ["Paced to", polite === undefined ? undefined : `${figure(polite.paced)} /s`],
    ["Not sent for the limit", polite === undefined ? undefined : grouped(polite.unsent)],
    [
      "Waits",
      polite === undefined ? undefined : `${grouped(polite.waits)}, ${figure(polite.waitSeconds)} s in all`,
    ],
    ["Refused again after a wait", polite === undefined ? undefined : grouped(polite.refusedAgain)],
    [
      "Recovery",
      polite?.recoveryMilliseconds === undefined ? undefined : milliseconds(polite.recoveryMilliseconds),
    ],
  ])}`;
}

function kind({ kind: shape, windowSeconds }: NonNullable<RateLimitResult["limit"]>): string {
  if (shape === "bucket") return "bucket";
  return windowSeconds === undefined ? "window" : `window of ${figure(windowSeconds)} s`;
}
