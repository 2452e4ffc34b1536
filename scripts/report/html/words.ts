import type { LoadResult, RequirementResult, Results } from "../../../schemas/types.ts";

/** Verdicts of a requirement as the report names them, in the order of concern. */
export const verdictWords = {
  fail: "Violated",
  error: "Not run",
  inconclusive: "Not judged",
  warn: "Worth a look",
  pass: "Passed",
  notApplicable: "Not applicable",
} as const satisfies Record<RequirementResult["verdict"], string>;

/** What a word means for the reader; `page.css` has a colour and a sign for each. */
export type Mark = "good" | "bad" | "unsure" | "notice" | "plain";

export const verdictMarks = {
  fail: "bad",
  error: "bad",
  inconclusive: "unsure",
  warn: "notice",
  pass: "good",
  notApplicable: "plain",
} as const satisfies Record<RequirementResult["verdict"], Mark>;

export const loadWords = {
  pass: "Held",
  slower: "Slower",
  fail: "Failed",
  invalid: "Invalid",
} as const satisfies Record<LoadResult["verdict"], string>;

export const runWords = {
  conformant: "Conformant",
  violations: "Violations",
  incomplete: "Incomplete",
  error: "No verdict",
} as const satisfies Record<Results["verdict"], string>;

export const exitWords = {
  0: "conformant, all thresholds held, no regression",
  1: "the target violates a requirement, a threshold was crossed, a regression or a breaking change was found, or a waiver is stale or expired",
  2: "wrong usage or configuration",
  3: "the run could not be made",
  4: "incomplete: nothing failed, but a MUST could not be judged",
  130: "interrupted; what was learned is written",
} as const satisfies Record<Results["exitCode"], string>;

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** Count and noun: `1 check`, `3 checks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export function grouped(count: number): string {
  return whole.format(count);
}

/** Milliseconds, with as many digits as mean something. */
export function milliseconds(value: number): string {
  return `${figure(value)} ms`;
}

/** A number to three significant digits, from 1,000 on whole; never in exponents. */
export function figure(value: number): string {
  return (Math.abs(value) >= 1000 ? whole : threeDigits).format(value);
}

/** A share of one as per cent. */
export function percent(share: number): string {
  return `${figure(share * 100)} %`;
}

/** A change as per cent with its sign. */
export function change(share: number): string {
  return `${share > 0 ? "+" : ""}${figure(Math.round(share * 1000) / 10)} %`;
}

/** `2026-11-21 11:50 UTC` from an ISO 8601 time. */
export function minute(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

/** Time between two ISO 8601 times: `24 s`, `3 min 20 s`, `1 h 2 min`. */
export function between(from: string, to: string): string {
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1000);
  if (!Number.isFinite(seconds)) return "?";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
