// Date and time of ISO 8601, extended (2026-11-21T08:34:22Z) or basic (20261121T083422Z). The day may also be that of a
// year (2026-325) or of a week (2026-W47-6), whose existence is not judged. Minutes and seconds are optional, and the last
// part may have a fraction. The zone must be UTC: Z or a zero offset. Groups have no names, which k6 1.x does not report.
const extended =
  /^(\d{4})-(?:(\d{2})-(\d{2})|\d{3}|W\d{2}-[1-7])[Tt](\d{2})(?::(\d{2})(?::(\d{2}))?)?(?:[.,](\d+))?(?:[Zz]|[+-]00(?::?00)?)$/;
const basic =
  /^(\d{4})(?:(\d{2})(\d{2})|\d{3}|W\d{2}[1-7])[Tt](\d{2})(?:(\d{2})(\d{2})?)?(?:[.,](\d+))?(?:[Zz]|[+-]00(?:00)?)$/;

/** Whether a text is an ISO 8601 timestamp in UTC with an existing date and time (spec, Product, `last_updated`). */
export function isUtcTimestamp(text: string): boolean {
  const match: (string | undefined)[] | null = extended.exec(text) ?? basic.exec(text);
  if (match === null) return false;
  const [, year, month, day, hour, minute = "0", second = "0", fraction = "0"] = match;
  // Month and day beyond their range carry over into another month.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (month !== undefined && date.getUTCMonth() !== Number(month) - 1) return false;
  // 24:00 is the end of the day.
  if (hour === "24") return [minute, second, fraction].every((part) => Number(part) === 0);
  // Second 60 is a leap second, which UTC has only at the end of a day.
  const lastSecond = hour === "23" && minute === "59" ? 60 : 59;
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= lastSecond;
}

const yearOne = /^0001-?01-?01T00:?00(:?00([.,]0+)?)?(Z|[+-]00(:?00)?)$/i;

/** Whether a text is the time that several languages have for no time: the first second of the year 1. */
export function isYearOne(text: string): boolean {
  // An expression takes k6 many times as long.
  return text.startsWith("0001") && yearOne.test(text);
}
