import type { LoadComparison, LoadResult } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { thresholdFigures, thresholdLabel } from "../../schemas/words/load.ts";
import { change, figure, grouped, loadWords, milliseconds, percent } from "./html/words.ts";
import { code, prose, table } from "./markdown-text.ts";

const mostRows = 30;

/** A table of the load runs, why those are not good that are not, and what the comparison with earlier runs said. */
export function renderLoad(load: readonly LoadResult[]): string[] {
  if (load.length === 0) return [];
  const heads = ["run", "verdict", "requests", "rate", "p95", "failed", "429", "why"];
  return [
    "### Load",
    table(heads, load.slice(0, mostRows).map(loadRow)),
    ...load.slice(0, mostRows).flatMap((result) => renderComparison(result)),
  ];
}

function loadRow({
  scenario,
  profile,
  verdict,
  findings,
  metrics,
  retryAfter,
  thresholds,
}: LoadResult): string[] {
  const requests = metrics.http_reqs;
  const p95 = metrics.http_req_duration?.["p(95)"];
  const waived = thresholds.flatMap((threshold) =>
    threshold.waiver === undefined
      ? []
      : [
          `${thresholdLabel(threshold)}: ${thresholdFigures(threshold)}; waived until ${threshold.waiver.expires}, ${threshold.waiver.ticket}`,
        ],
  );
  const failed = metrics.http_req_failed?.rate;
  return [
    `${code(scenario)} ${prose(`(${profile})`)}`,
    verdict === "pass" ? loadWords[verdict] : `**${loadWords[verdict]}**`,
    grouped(requests?.count ?? 0),
    requests?.rate === undefined ? "" : `${figure(requests.rate)}/s`,
    p95 === undefined ? "" : milliseconds(p95),
    failed === undefined ? "" : percent(failed),
    grouped(retryAfter.refused),
    [...findings.map((finding) => findingText(finding, defaultWords)), ...waived]
      .slice(0, 5)
      .map((reason) => prose(reason))
      .join("<br>"),
  ];
}

function renderComparison({ scenario, comparison }: LoadResult): string[] {
  if (comparison === undefined) return [];
  const { answer, reason, runs, endpoints } = comparison;
  const against = `${code(scenario)} against ${grouped(runs.before)} earlier runs: **${answer}**. ${prose(reason, 600)}`;
  if (endpoints.length === 0) return [against];
  const heads = ["endpoint", "", "before", "now", "change", "interval", "answer"];
  return [against, table(heads, endpoints.slice(0, mostRows).map(comparedRow))];
}

function comparedRow(compared: LoadComparison["endpoints"][number]): string[] {
  const { endpoint, statistic, before, after, low, high, answer } = compared;
  const interval = `${change(low)} to ${change(high)}`;
  const moved = change(compared.change);
  return [
    code(endpoint),
    prose(statistic),
    milliseconds(before),
    milliseconds(after),
    moved,
    interval,
    answer,
  ];
}
