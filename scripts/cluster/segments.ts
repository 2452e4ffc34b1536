/** A part of a run's schedule: from and to, between 0 and 1, as fractions in lowest terms. */
type Segment = `${string}:${string}`;

/** The same segment always as the same text: k6 shortens fractions, so that `2/4:3/4` may come back as `1/2:3/4`. */
export function normalSegment(segment: string): Segment {
  const [from = "0", to = "1"] = segment.split(":");
  return `${lowestTerms(from)}:${lowestTerms(to)}`;
}

/** All segments of a sequence of borders such as `0,1/3,2/3,1`. */
export function segmentsOf(sequence: string): Segment[] {
  const borders = sequence.split(",");
  return borders.slice(1).map((to, place) => normalSegment(`${borders[place]}:${to}`));
}

function lowestTerms(fraction: string): string {
  const [over = 0, under = 1] = fraction.split("/").map(Number);
  const divisor = greatestCommonDivisor(over, under) || 1;
  return under === divisor ? String(over / divisor) : `${over / divisor}/${under / divisor}`;
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
