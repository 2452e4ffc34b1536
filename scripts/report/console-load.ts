import { requestLabel } from "../../schemas/scenarios.ts";
import type { Finding, LoadResult } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { renderEvidence } from "./console-findings.ts";
import { change, milliseconds } from "./html/words.ts";
import { printable, wrap } from "./lines.ts";
import type { ConsoleStyle } from "./style.ts";

/** One block for all load runs: a line of figures each, and for one that is not good, why. */
export function renderLoad(load: readonly LoadResult[], style: ConsoleStyle): string[][] {
  if (load.length === 0) return [];
  return [[style.strong("Load"), ...load.flatMap((result) => renderLoadResult(result, style))]];
}

function renderLoadResult(result: LoadResult, style: ConsoleStyle): string[] {
  const { scenario, profile, verdict, findings, notes, evidence = [] } = result;
  const [first] = evidence;
  const paint = { pass: style.good, slower: style.bad, fail: style.bad, invalid: style.unsure }[verdict];
  return [
    `  ${paint(verdict.padEnd(7))} ${scenario} (${profile})`,
    ...wrap(figures(result), { width: style.width, indent: "          " }),
    ...[...findings, ...notes].flatMap((finding) =>
      wrap(printable(textOf(finding)), {
        width: style.width,
        indent: "          ",
      }),
    ),
    ...renderComparison(result, style),
    ...(first === undefined ? [] : renderFlaw(first, style)),
  ];
}

function renderComparison({ comparison }: LoadResult, style: ConsoleStyle): string[] {
  if (comparison === undefined) return [];
  const { answer, reason, runs, endpoints } = comparison;
  const paint = {
    slower: style.bad,
    same: style.good,
    faster: style.good,
    inconclusive: style.unsure,
    refused: style.unsure,
  };
  const says = `${answer} against ${runs.before} earlier runs: ${reason}`;
  const [head = "", ...rest] = wrap(printable(says), { width: style.width, indent: "          " });
  const told = endpoints.filter((endpoint) => endpoint.answer !== "same");
  const lines = told.map(({ endpoint, statistic, before, after, change: moved, low, high, answer: said }) => {
    const interval = `${change(moved)} (${change(low)} to ${change(high)})`;
    return `${endpoint} ${statistic}: ${milliseconds(before)} before, ${milliseconds(after)} now, ${interval}: ${said}`;
  });
  return [
    head.replace(answer, paint[answer](answer)),
    ...rest,
    ...lines.flatMap((line) => wrap(printable(line), { width: style.width, indent: "            " })),
  ];
}

function renderFlaw(
  { request, finding, exchange }: NonNullable<LoadResult["evidence"]>[number],
  style: ConsoleStyle,
): string[] {
  const says = wrap(printable(`${requestLabel(request)}: ${textOf(finding)}`), {
    width: style.width,
    indent: "          ",
  });
  return [...says, ...renderEvidence(exchange, style)];
}

function textOf(finding: Finding): string {
  return findingText(finding, defaultWords);
}

function figures({ metrics, retryAfter, validated }: LoadResult): string {
  const requests = metrics.http_reqs;
  const duration = metrics.http_req_duration;
  const failed = metrics.http_req_failed?.rate;
  return [
    requests === undefined ? "no requests" : `${requests.count ?? 0} requests`,
    requests?.rate === undefined ? undefined : `${requests.rate.toFixed(1)}/s`,
    duration?.["p(95)"] === undefined ? undefined : `p95 ${duration["p(95)"].toFixed(1)} ms`,
    failed === undefined ? undefined : `${(failed * 100).toFixed(1)} % failed`,
    refusals(retryAfter),
    validation(validated),
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

function refusals({ refused, withRetryAfter, longestSeconds }: LoadResult["retryAfter"]): string {
  if (refused === 0) return "no 429";
  const longest = longestSeconds === undefined ? "" : `, longest wait ${longestSeconds} s`;
  return `${refused} answers 429 (${withRetryAfter} with Retry-After${longest})`;
}

function validation({ answers, invalid, undetectedShareBound }: LoadResult["validated"]): string {
  if (invalid > 0) return `${invalid} of ${answers} validated answers break the schema`;
  const bound =
    undetectedShareBound === undefined
      ? ""
      : ` (fewer than ${(undetectedShareBound * 100).toFixed(2)} % undetected)`;
  return `${answers} answers validated${bound}`;
}
