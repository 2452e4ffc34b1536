// Date and time of ISO 8601, extended (2026-11-21T08:34:22Z) or basic (20261121T083422Z). Seconds and fractions are
// optional. The zone must be UTC: Z or a zero offset.
const extended =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:[Zz]|[+-]00(?::?00)?)$/;
const basic = /^(\d{4})(\d{2})(\d{2})[Tt](\d{2})(\d{2})(?:(\d{2})(?:[.,]\d+)?)?(?:[Zz]|[+-]00(?:00)?)$/;

/** Whether a text is an ISO 8601 timestamp in UTC with an existing date and time (spec, Product, `last_updated`). */
export function isUtcTimestamp(text: string): boolean {
  const match = extended.exec(text) ?? basic.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day));
  const dayExists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  // Second 60 is a leap second.
  return dayExists && hour <= 23 && minute <= 59 && second <= 60;
}
