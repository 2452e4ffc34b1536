// Numbers, times, lists and cut texts as people read them, the same in every format. Without Intl, for k6.

import type { SharedFields } from "../contracts/finding.ts";

/** A whole number with thousands separators: `1,204`. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Count and noun: `1 check`, `3 checks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Cuts a text to `length` characters and notes how many are omitted. Surrogate pairs stay together. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
  return `${kept}… (${grouped(text.length - kept.length)} more characters)`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** A status as reports show it; evidence of a request without a response has 0. */
export function statusName(status: number): string {
  return status === 0 ? "no response" : `${status}`;
}

/** A number with three significant digits, or a whole number from 1,000; never with an exponent. */
export function figure(value: number): string {
  const rounded = Number(value.toPrecision(3));
  if (Math.abs(rounded) >= 1000) return grouped(value);
  return Math.abs(rounded) < 1e-6 ? rounded.toFixed(12).replace(/\.?0+$/, "") : `${rounded}`;
}

/** Milliseconds: `12.3 ms`. */
export function milliseconds(value: number): string {
  return `${figure(value)} ms`;
}

/** Bytes in decimal units: `612 MB`, `1.2 GB`. */
export function bytes(value: number): string {
  const megabytes = value / 1e6;
  return megabytes < 1000 ? `${figure(megabytes)} MB` : `${figure(megabytes / 1000)} GB`;
}

/** A rate: `10.5/s`. */
export function perSecond(value: number): string {
  return `${figure(value)}/s`;
}

/** A share from 0 to 1 as a percentage: `1.7 %`; 100 % is the whole only. */
export function percent(share: number): string {
  return `${figure(share < 1 ? Math.min(share * 100, 99.9) : share * 100)} %`;
}

/** A share up to 10 % as `1 in 60 (1.7 %)`; a larger one as a percentage only. */
export function oneIn(share: number): string {
  const tenths = `${figure(Number((share * 100).toPrecision(2)))} %`;
  return share > 0 && share <= 0.1
    ? `1 in ${grouped(Number((1 / share).toPrecision(3)))} (${tenths})`
    : percent(share);
}

/** Part of a whole: `3 of 60 (5 %)`, or with what is counted `3 of 60 requests (5 %)`. */
export function outOf(count: number, total: number, one?: string, many?: string): string {
  const share = total > 0 && count > 0 && count < total ? ` (${percent(count / total)})` : "";
  return `${grouped(count)} of ${one === undefined ? grouped(total) : counted(total, one, many)}${share}`;
}

/** How often, as a finding counts it: `3 of 60 requests (5 %)`; without a total `3 requests`. */
export function often(
  seen: SharedFields["seen"],
  one = (seen?.of ?? "").slice(0, -1),
  many?: string,
): string {
  const { count = 0, total } = seen ?? {};
  return total === undefined ? counted(count, one, many) : outOf(count, total, one, many);
}

/** Relative changes from here on are said as a factor. */
const leastFactor = 9;

/** A relative change: `+20 %`; from a factor of ten, or where `besides` is as large, as `250 times`. */
export function change(share: number, besides = share): string {
  if (Math.max(share, besides) >= leastFactor) return `${figure(share + 1)} times`;
  return `${share > 0 ? "+" : ""}${figure(Math.round(share * 1000) / 10)} %`;
}

/** Whether there are enough samples to show a percentile: p99 needs at least 100. */
export function showsPercentile(percentile: number, samples: number): boolean {
  return percentile >= 100 || samples >= Math.round(1 / (1 - percentile / 100));
}

/** `2026-11-21 11:50 UTC` from an ISO 8601 time. */
export function minute(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

/** `11:50:07 UTC` from an ISO 8601 time. */
export function second(iso: string): string {
  return `${iso.slice(11, 19)} UTC`;
}

/** Seconds as a duration: `24 s`, `3 min 20 s`, `1 h 2 min`. */
export function duration(exact: number): string {
  const seconds = Math.round(exact);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Time between two ISO 8601 times. */
export function between(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return Number.isFinite(seconds) ? duration(seconds) : "?";
}

/** `a, b, and c`. */
export function listed(parts: readonly string[], last = "and"): string {
  const before = parts.slice(0, -1);
  if (before.length === 0) return parts[0] ?? "";
  return `${before.join(", ")}${before.length > 1 ? "," : ""} ${last} ${parts.at(-1)}`;
}

/** `a, b, or c`. */
export function alternatives(parts: readonly string[]): string {
  return listed(parts, "or");
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Unit = NonNullable<SharedFields["unit"]>;
const units: Readonly<Record<Unit, (value: number) => string>> = {
  ms: milliseconds,
  s: duration,
  share: percent,
  "requests/s": perSecond,
  bytes,
  count: grouped,
};

export function inUnit(value: number, unit: Unit = "count"): string {
  return units[unit](value);
}
