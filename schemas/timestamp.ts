// Date and time of ISO 8601, extended (2026-11-21T08:34:22Z) or basic (20261121T083422Z). The day may also be that of a
// year (2026-325) or of a week (2026-W47-6). Minutes and seconds are optional, and the last part may have a fraction.
// The zone must be UTC: Z or a zero offset. Groups have no names, which k6 1.x does not report; their order is that of `partsOf`.
const extended =
  /^(\d{4})-(?:(\d{2})-(\d{2})|(\d{3})|W(\d{2})-([1-7]))[Tt](\d{2})(?::(\d{2})(?::(\d{2}))?)?(?:[.,](\d+))?(?:[Zz]|[+-]00(?::?00)?)$/;
const basic =
  /^(\d{4})(?:(\d{2})(\d{2})|(\d{3})|W(\d{2})([1-7]))[Tt](\d{2})(?:(\d{2})(\d{2})?)?(?:[.,](\d+))?(?:[Zz]|[+-]00(?:00)?)$/;

type TimestampParts = Exclude<ReturnType<typeof partsOf>, undefined>;

function partsOf(text: string) {
  const match: (string | undefined)[] | null = extended.exec(text) ?? basic.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, dayOfYear, week, , hour, minute, second, fraction] = match;
  return { year, month, day, dayOfYear, week, hour, minute, second, fraction };
}

/** Whether a text is an ISO 8601 timestamp in UTC with an existing date and time (spec, Product, `last_updated`). */
export function isUtcTimestamp(text: string): boolean {
  const parts = partsOf(text);
  return parts !== undefined && dayExists(parts) && timeExists(parts);
}

function dayExists({ year, month, day, dayOfYear, week }: TimestampParts): boolean {
  if (week !== undefined) return Number(week) >= 1 && Number(week) <= weeksOf(Number(year));
  // Month and day beyond their range carry over into another month, day 366 of an ordinary year into the next one.
  const [monthIndex, dayOfMonth] =
    dayOfYear === undefined ? [Number(month) - 1, Number(day)] : [0, Number(dayOfYear)];
  const date = new Date(Date.UTC(Number(year), monthIndex, dayOfMonth));
  return dayOfYear === undefined
    ? date.getUTCMonth() === monthIndex && date.getUTCDate() === dayOfMonth
    : date.getUTCFullYear() === Number(year) && dayOfMonth >= 1;
}

// A year has 53 weeks if it begins or ends on a Thursday.
function weeksOf(year: number): number {
  const ends = [Date.UTC(year, 0, 1), Date.UTC(year, 11, 31)];
  return ends.some((time) => new Date(time).getUTCDay() === 4) ? 53 : 52;
}

function timeExists({ hour, minute = "0", second = "0", fraction = "0" }: TimestampParts): boolean {
  // 24:00 is the end of the day.
  if (hour === "24") return [minute, second, fraction].every((part) => Number(part) === 0);
  // Second 60 is a leap second, which UTC has only at the end of a day.
  const lastSecond = hour === "23" && minute === "59" ? 60 : 59;
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= lastSecond;
}

const yearOne = /^0001-?01-?01T00:?00(:?00([.,]0+)?)?(Z|[+-]00(:?00)?)$/i;

/** Whether a text is the time that several languages have for no time: the first second of the year 1. */
export function isYearOne(text: string): boolean {
  return yearOne.test(text);
}
