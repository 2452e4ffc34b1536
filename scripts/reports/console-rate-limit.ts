import type { RateLimitResult } from "../../schemas/types.ts";

/** What a rate-limit run learned, a sentence a line: the estimate and its promises, or how a polite client fared. */
export function renderRateLimit({
  mode,
  limit,
  highestRate,
  refusedShare,
  promises,
  otherOrganization,
  polite,
}: RateLimitResult): string[] {
  const estimate =
    limit === undefined
      ? `no limit met${highestRate === undefined ? "" : ` up to ${figure(highestRate)} requests a second`}`
      : `limit ${figure(limit.perSecond)} a second (${figure(limit.low)} to ${figure(limit.high)}), burst ${limit.burst}, ${shape(limit)}`;
  return [
    ...(mode === "probe" ? [estimate] : []),
    ...(refusedShare === undefined ? [] : [`${(refusedShare * 100).toFixed(1)} % refused`]),
    ...(promises === undefined
      ? []
      : [`let in after Retry-After: ${promises.kept} of ${promises.tried} times`]),
    ...(otherOrganization === undefined
      ? []
      : [
          `another organization meanwhile: ${otherOrganization.refused} of ${otherOrganization.requests} refused`,
        ]),
    ...(polite === undefined ? [] : politeLines(polite)),
  ];
}

function shape({ kind, windowSeconds }: NonNullable<RateLimitResult["limit"]>): string {
  return kind === "bucket"
    ? "bucket"
    : `window${windowSeconds === undefined ? "" : ` of ${windowSeconds} s`}`;
}

function politeLines(polite: NonNullable<RateLimitResult["polite"]>): string[] {
  const { goodput, paced, unsent, waits, waitSeconds, refusedAgain, recoveryMilliseconds } = polite;
  const recovery =
    recoveryMilliseconds === undefined
      ? ""
      : `, recovered in ${Math.round(recoveryMilliseconds)} ms (median)`;
  return [
    `goodput ${figure(goodput)} a second, paced at ${figure(paced)}; ${unsent} requests held back`,
    `${waits} waits, ${figure(waitSeconds)} s in all, refused again after ${refusedAgain}${recovery}`,
  ];
}

function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}
