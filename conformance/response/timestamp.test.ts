import { expect, test } from "vitest";
import { isUtcTimestamp } from "./timestamp.ts";

test.each([
  "2026-11-21T08:34:22Z",
  "2026-11-21T08:34:22.1Z",
  "2026-11-21T08:34:22.123456789Z",
  "2026-11-21T08:34:22,5Z",
  "2026-11-21T08:34Z",
  "2026-11-21T08:34:22+00:00",
  "2026-11-21T08:34:22-00:00",
  "2026-11-21T08:34:22+0000",
  "2026-11-21T08:34:22+00",
  "2026-11-21t08:34:22z",
  "20261121T083422Z",
  "20261121T0834Z",
  "20261121T083422.5+0000",
  "2024-02-29T00:00:00Z",
  "2016-12-31T23:59:60Z",
  "1970-01-01T00:00:00Z",
])("%s is valid", (text) => {
  expect(isUtcTimestamp(text)).toBe(true);
});

test.each([
  ["2026-11-21T08:34:22", "no zone"],
  ["2026-11-21T08:34:22+01:00", "another zone"],
  ["2026-11-21T08:34:22-00:30", "another zone"],
  ["2026-11-21T08:34:22 Z", "a blank before the zone"],
  ["2026-11-21 08:34:22Z", "a blank for the T"],
  ["2026-11-21", "no time"],
  ["08:34:22Z", "no day"],
  ["2026-11-21T08Z", "no minutes"],
  ["1795250062", "seconds since 1970"],
  ["Sat, 21 Nov 2026 08:34:22 GMT", "as in HTTP"],
  ["21.11.2026 08:34", "as in Germany"],
  ["11/21/2026", "as in the US"],
  ["2026-02-29T00:00:00Z", "a day that 2026 does not have"],
  ["2026-04-31T00:00:00Z", "a day that April does not have"],
  ["2026-13-01T00:00:00Z", "month 13"],
  ["2026-00-10T00:00:00Z", "month 0"],
  ["2026-11-00T00:00:00Z", "day 0"],
  ["2026-11-21T25:00:00Z", "hour 25"],
  ["2026-11-21T08:60:00Z", "minute 60"],
  ["2026-11-21T08:34:61Z", "second 61"],
  ["2026-1-2T03:04:05Z", "digits left out"],
  ["2026-11-21T083422Z", "extended and basic mixed"],
  ["x2026-11-21T08:34:22Z", "something before"],
  ["2026-11-21T08:34:22Zx", "something after"],
  ["", "nothing"],
])("%j is invalid: %s", (text) => {
  expect(isUtcTimestamp(text)).toBe(false);
});
