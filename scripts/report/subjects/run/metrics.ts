import { shownPercentiles } from "./endpoint-rows.ts";
import type { Report } from "./run-report.ts";

/** Figures of a run as OpenMetrics text, which GitLab compares between a merge request and its target branch. */
export function renderMetrics({ results, summary, load }: Report): string {
  const lines = [
    ...Object.entries(summary).map(([verdict, count]) =>
      lineOf("shelfcheck_requirements", { verdict }, count),
    ),
    lineOf("shelfcheck_conformance_requests", {}, results.requests.total),
    lineOf("shelfcheck_exit_code", {}, results.exitCode),
    ...load.flatMap(({ id: run, endpoints, result }) => {
      const figures: Record<string, number | undefined> = {
        shelfcheck_load_requests: result.metrics.http_reqs?.count,
        shelfcheck_load_failed_share: result.metrics.http_req_failed?.rate,
        shelfcheck_load_invalid_responses: result.validated.invalid,
      };
      return [
        ...Object.entries(figures).flatMap(([name, value]) =>
          value === undefined ? [] : [lineOf(name, { run }, value)],
        ),
        ...endpoints.flatMap(({ id: endpoint, latency }) =>
          shownPercentiles.flatMap((percentile) => {
            const value = latency[percentile];
            const labels = { run, endpoint, percentile: `${percentile}` };
            return value === undefined ? [] : [lineOf("shelfcheck_load_latency_milliseconds", labels, value)];
          }),
        ),
      ];
    }),
    "# EOF",
  ];
  return `${lines.join("\n")}\n`;
}

function lineOf(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const all = Object.entries(labels).map(
    ([label, text]) =>
      `${label}="${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return `${name}${all.length === 0 ? "" : `{${all.join(",")}}`} ${value}`;
}
