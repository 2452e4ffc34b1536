import type { Verdict } from "../../conformance/requirements/verdict.ts";
import { isCrossed, verdictLabels } from "../../schemas/verdicts.ts";
import { between, capitalized, clip, counted, grouped, minute } from "../../schemas/words/format.ts";
import { latencyText, limitText, shownPercentiles, tallyText } from "./endpoint-rows.ts";
import { code, driftTable, fenced, folded, leftOut, prose, table } from "./markdown-text.ts";
import type { Report } from "./model.ts";
import type { ShownLoad } from "./shown-load.ts";
import type { ShownCheck, ShownRequirement } from "./shown-requirements.ts";
import { exchangeText } from "./text.ts";
import { driftTones } from "./tones.ts";

/** Maximum length. A job summary may have 1 MiB, and other steps write into it too. */
const longest = 600_000;
const mostRows = 50;
const mostChecks = 5;
const mostLoadRows = 30;
const mostReasons = 10;
const mostExchanges = 10;
const exchangeLength = 6000;
/** Maximum number of ids named for one cause. */
const mostIds = 30;
/** The page with the rows that are omitted here. */
const page = "report.html";

/**
 * A job summary in GitHub Markdown: verdict, failures, load, contract changes, requirements that were not judged,
 * waivers. All text that comes from a target is in code spans or blocks.
 */
export function renderMarkdown(report: Report): string {
  const { warned, waived } = report;
  return bounded([
    ...head(report),
    ...failed(report),
    ...load(report),
    ...drift(report),
    ...notJudged(report),
    ...waivers(report),
    ...warnings([...warned, ...waived]),
    ...sections(report),
  ]);
}

function head({ results, label, why, also, top, next, notice, warnings, counts }: Report): string[] {
  const { command, target, exitCode, problem, startedAt, finishedAt, requests, requirements } = results;
  return [
    `## ${capitalized(label)}: ${command} of ${code(target.name)}`,
    ...(notice === undefined ? [] : [`**${notice}**`]),
    ...warnings.map((text) => `**Warning**: ${prose(text, 1000)}`),
    `${prose(why, 1000)}${also === undefined ? "" : ` ${prose(also, 1000)}`}`,
    ...(top.length === 0 ? [] : [top.map(({ id, text }) => `- ${code(id)}: ${prose(text)}`).join("\n")]),
    ...(problem === undefined
      ? []
      : [`**${prose(problem.what)}**: ${code(problem.where, 1000)}`, prose(problem.fix, 1000)]),
    [
      `- Target: ${code(target.baseUrl)}`,
      `- When: ${minute(startedAt)}, ${between(startedAt, finishedAt)}`,
      ...(requirements.length === 0 ? [] : [`- ${counts}; ${counted(requests.total, "request")}`]),
      `- Exit code ${exitCode}`,
      ...(next === undefined ? [] : [`- Next: ${code(next)}`]),
    ].join("\n"),
  ];
}

/** A table of failures, then the exchanges of the first few. */
function failed({ failed: requirements }: Report): string[] {
  if (requirements.length === 0) return [];
  const shown = requirements.flatMap(({ id, reported }) => {
    const [exchange] = reported.flatMap(({ evidence }) => evidence);
    return exchange === undefined ? [] : [{ id, exchange }];
  });
  return [
    `### Failed: ${counted(requirements.length, "requirement")}`,
    ...findings(requirements),
    ...shown
      .slice(0, mostExchanges)
      .flatMap(({ id, exchange }) => [
        code(id),
        folded("Request, response, curl", fenced(clip(exchangeText(exchange), exchangeLength))),
      ]),
    ...leftOut(
      page,
      Math.min(shown.length, mostExchanges),
      shown.length,
      "request with its response",
      "requests with their responses",
    ),
  ];
}

/** Warnings and waived failures, folded. */
function warnings(requirements: readonly ShownRequirement[]): string[] {
  if (requirements.length === 0) return [];
  return [folded(`${counted(requirements.length, "requirement")} with a warning`, ...findings(requirements))];
}

// Two columns, because a job page is narrow and findings are sentences.
function findings(requirements: readonly ShownRequirement[]): string[] {
  const rows = requirements.slice(0, mostRows).map((requirement) => {
    const { id, section, level, statement, verdict } = requirement;
    const place = `**${verdictLabels[verdict]}**<br>${code(id)}<br>${prose(section)}, ${level.toUpperCase()}`;
    return [place, `${prose(statement)}<br>${checkLines(requirement)}`];
  });
  return [
    table(["requirement", "statement, and what was seen"], rows),
    ...leftOut(page, rows.length, requirements.length, "requirement"),
  ];
}

function checkLines({ text, reported }: ShownRequirement): string {
  if (reported.length === 0) return prose(text);
  const shown = reported.slice(0, mostChecks).map(checkLine);
  const all = reported.length;
  return [...shown, ...(all > mostChecks ? [`${mostChecks} of ${counted(all, "check")} shown`] : [])].join(
    "<br>",
  );
}

function checkLine({ title, text, remarks, waiver }: ShownCheck): string {
  const waived =
    waiver === undefined ? "" : ` Waived until ${prose(waiver.expires)}, ${code(waiver.ticket, 100)}.`;
  return `**${prose(title)}**: ${prose(text, 600)}${remarks}${waived}`;
}

/** A table of the load runs; then the reasons, endpoints and comparison of each. */
function load({ load: runs }: Report): string[] {
  if (runs.length === 0) return [];
  const heads = ["run", "verdict", "requests", "rate", "p50", "p95", "p99", "failed", "429"];
  const shown = runs.slice(0, mostLoadRows);
  return [
    "### Load",
    table(heads, shown.map(loadRow)),
    ...leftOut(page, shown.length, runs.length, "load run"),
    ...shown.flatMap((run) => {
      const blocks = [...reasons(run), ...endpoints(run), ...comparison(run)];
      return blocks.length === 0 ? [] : [`#### ${prose(run.name)}`, ...blocks];
    }),
  ];
}

function loadRow({ name, label, result, figures }: ShownLoad): string[] {
  return [
    prose(name),
    result.verdict === "pass" ? label : `**${label}**`,
    figures.requests,
    figures.rate ?? "",
    figures.median ?? "",
    figures.p95 ?? "",
    figures.p99 ?? "",
    figures.failed ?? "",
    grouped(result.retryAfter.refused),
  ];
}

/** Reasons of a verdict, found limits, and waived thresholds. */
function reasons({ reasons: why, figures, thresholds }: ShownLoad): string[] {
  const waived = thresholds.flatMap(({ name: limited, figures: measured, waiver }) =>
    waiver === undefined ? [] : [`${limited}: ${measured}; waived until ${waiver.expires}, ${waiver.ticket}`],
  );
  const found = figures.limit === undefined ? [] : [`Found: ${figures.limit}.`];
  const lines = [...why, ...found, ...waived];
  if (lines.length === 0) return [];
  const shown = lines.slice(0, mostReasons).map((line) => `- ${prose(line, 600)}`);
  return [shown.join("\n"), ...leftOut(page, shown.length, lines.length, "reason")];
}

/** Endpoints, worst first, each with its nearest limit. */
function endpoints({ endpoints: all }: ShownLoad): string[] {
  if (all.length === 0) return [];
  const rows = all.slice(0, mostRows).map((row) => {
    const [limit] = row.limits;
    const shown = limit === undefined ? "" : limitText(limit);
    return [
      prose(row.name),
      ...shownPercentiles.map((percentile) => latencyText(row, percentile)),
      tallyText(row.failed),
      tallyText(row.invalid),
      limit !== undefined && isCrossed(limit.threshold) ? `**crossed:** ${shown}` : shown,
    ];
  });
  const heads = [
    "endpoint",
    ...shownPercentiles.map((percentile) => `p${percentile}`),
    "failed",
    "invalid",
    "limit",
  ];
  return [table(heads, rows), ...leftOut(page, rows.length, all.length, "endpoint")];
}

function comparison({ comparison: compared }: ShownLoad): string[] {
  if (compared === undefined) return [];
  const { label, text, runs, rows } = compared;
  const against = `Against ${counted(runs.before, "earlier run")}: **${label}**. ${prose(text, 600)}`;
  if (rows.length === 0) return [against];
  const cells = rows
    .slice(0, mostLoadRows)
    .map((row) => [
      prose(row.endpoint),
      prose(row.statistic),
      row.before,
      row.after,
      row.change,
      row.interval,
      row.label,
    ]);
  return [
    against,
    table(["endpoint", "statistic", "before", "now", "change", "interval", "verdict"], cells),
    ...leftOut(page, cells.length, rows.length, "latency", "latencies"),
  ];
}

/** Breaking changes first; harmless changes are counted. */
function drift({ drift: shown }: Report): string[] {
  if (shown === undefined) return [];
  const title = `### Contract changes since ${minute(shown.since)}`;
  const listed = shown.changes.filter(({ rank }) => rank !== "harmless");
  const harmless = shown.changes.length - listed.length;
  const remark = harmless > 0 ? `${counted(harmless, "harmless change")}.` : undefined;
  if (listed.length === 0) return [title, remark ?? "None."];
  const rows = listed.slice(0, mostRows).map((change) => ({ ...change, tone: driftTones[change.rank] }));
  return [
    title,
    driftTable(rows),
    ...leftOut(page, rows.length, listed.length, "change"),
    ...(remark === undefined ? [] : [remark]),
  ];
}

/** Grouped by cause, since a cause is what can be fixed. */
function notJudged({ notJudgedCauses: causes, notJudged: all }: Report): string[] {
  if (causes.length === 0) return [];
  const lines = causes.slice(0, mostRows).map(({ cause, requirements, also }) => {
    const group = [...requirements, ...also];
    const ids = group.slice(0, mostIds).map(({ id }) => code(id));
    const shown = ids.length < group.length ? ` (${ids.length} of ${grouped(group.length)} shown)` : "";
    return `- ${counted(group.length, "requirement")}: ${prose(cause, 600)}<br>${ids.join(", ")}${shown}`;
  });
  return [
    `### Not judged: ${counted(all.length, "requirement")}`,
    lines.join("\n"),
    ...leftOut(page, lines.length, causes.length, "cause"),
  ];
}

function waivers({ waivers: all }: Report): string[] {
  if (all.length === 0) return [];
  const rows = all.slice(0, mostRows).map(({ waiver, state, label, fix }) => {
    const { id, reason, owner, ticket, expires } = waiver;
    const bad = state === "expired" || state === "stale";
    const why = fix === undefined ? prose(reason) : `${prose(reason)}<br>${prose(fix)}`;
    return [bad ? `**${label}**` : label, code(id), code(expires), code(owner), code(ticket), why];
  });
  return [
    "### Waivers",
    table(["state", "waived", "until", "owner", "ticket", "reason"], rows),
    ...leftOut(page, rows.length, all.length, "waiver"),
  ];
}

function sections({ sections: all, results }: Report): string[] {
  if (all.length === 0) return [];
  const verdicts = (Object.keys(verdictLabels) as Verdict[]).filter((verdict) =>
    results.requirements.some((one) => one.verdict === verdict),
  );
  const rows = all.slice(0, 100).map(({ name, counts }) => {
    const by = new Map(counts);
    return [prose(name), ...verdicts.map((verdict) => grouped(by.get(verdict) ?? 0))];
  });
  const heads = ["section", ...verdicts.map((verdict) => verdictLabels[verdict])];
  const title = `${counted(results.requirements.length, "requirement")} by section`;
  return [folded(title, table(heads, rows), ...leftOut(page, rows.length, all.length, "section"))];
}

/** Cuts between blocks: half a table or an open fence would swallow the output of the next step. */
function bounded(blocks: readonly string[]): string {
  let length = 0;
  const fits = blocks.findIndex((block) => {
    length += block.length + 2;
    return length > longest;
  });
  if (fits < 0) return `${blocks.join("\n\n")}\n`;
  const headings = blocks
    .slice(fits)
    .flatMap((block) => (block.startsWith("### ") ? [block.slice(4).split(":", 1)[0] ?? ""] : []));
  const others = headings.length === 0 ? "" : `, and all of these parts: ${headings.join(", ")}`;
  const kept = blocks.slice(0, fits);
  return `${kept.join("\n\n")}\n\n${grouped(kept.length)} of ${counted(blocks.length, "paragraph")} shown to fit into a job summary. Omitted: the rest of this part${others}. See \`report.html\`.\n`;
}
