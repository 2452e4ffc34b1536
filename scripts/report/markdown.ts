import type { Verdict } from "../../conformance/engine/verdict.ts";
import { verdictLabels } from "../../schemas/verdicts.ts";
import { between, capitalized, clip, counted, grouped, minute } from "../../schemas/words/format.ts";
import { code, fenced, folded, prose, table } from "./markdown-text.ts";
import type { Report, ShownCheck, ShownLoad, ShownRequirement } from "./model.ts";
import { exchangeText } from "./text.ts";

/** Most characters of the whole: a job's summary may have 1 MiB, and other steps write into it too. */
const longest = 600_000;
const mostRows = 50;
const mostLoadRows = 30;
const mostExchanges = 10;
const exchangeLength = 6000;
/** Most ids named for one cause. */
const mostIds = 30;

/**
 * Markdown for the summary of a job (GitHub's dialect): the verdict, what failed, load, contract changes, what was not
 * judged, waivers. All text that a target may have a hand in stands in code.
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

function head({ results, label, why, also, top, next, notice, counts }: Report): string[] {
  const { command, target, exitCode, problem, startedAt, finishedAt, requests, requirements } = results;
  const sent = requests.total === 0 ? "" : `, ${counted(requests.total, "request")}`;
  return [
    `## ${capitalized(label)}: ${command} of ${code(target.name)}`,
    ...(notice === undefined ? [] : [`**${notice}**`]),
    `${prose(why, 1000)}${also === undefined ? "" : ` ${also}`}`,
    ...(top.length === 0 ? [] : [top.map(({ id, text }) => `- ${code(id)}: ${prose(text)}`).join("\n")]),
    ...(problem === undefined
      ? []
      : [`**${prose(problem.what)}**: ${code(problem.where, 1000)}`, prose(problem.fix, 1000)]),
    [
      `- Target: ${code(target.baseUrl)}`,
      `- When: ${minute(startedAt)}, ${between(startedAt, finishedAt)}${sent}`,
      ...(requirements.length === 0 ? [] : [`- ${counts}`]),
      `- Exit code ${exitCode}`,
      ...(next === undefined ? [] : [`- Next: ${code(next)}`]),
    ].join("\n"),
  ];
}

/** A table of what failed, then the exchange that shows it for the first few. */
function failed({ failed: requirements }: Report): string[] {
  if (requirements.length === 0) return [];
  return [
    "### Failed",
    ...findings(requirements),
    ...requirements.slice(0, mostExchanges).flatMap(({ id, reported }) => {
      const [exchange] = reported.flatMap(({ evidence }) => evidence);
      if (exchange === undefined) return [];
      return [
        code(id),
        folded("Request, response, curl", fenced(clip(exchangeText(exchange), exchangeLength))),
      ];
    }),
  ];
}

/** Warnings and what is waived, folded away. */
function warnings(requirements: readonly ShownRequirement[]): string[] {
  if (requirements.length === 0) return [];
  return [folded(`${counted(requirements.length, "requirement")} with a warning`, ...findings(requirements))];
}

function findings(requirements: readonly ShownRequirement[]): string[] {
  const rows = requirements.slice(0, mostRows).map((requirement) => {
    const { id, section, level, statement, verdict } = requirement;
    const place = `${code(id)}<br>${prose(section)}, ${level.toUpperCase()}`;
    return [place, verdictLabels[verdict], prose(statement), seen(requirement)];
  });
  return [
    table(["requirement", "verdict", "the spec", "seen"], rows),
    ...rest(requirements.length - rows.length, "requirement"),
  ];
}

function seen({ text, reported }: ShownRequirement): string {
  if (reported.length === 0) return prose(text);
  return reported.slice(0, 5).map(checkLine).join("<br>") + more(reported.length - 5);
}

function checkLine({ title, text, remarks, waiver }: ShownCheck): string {
  const waived =
    waiver === undefined ? "" : ` Waived until ${prose(waiver.expires)}, ${code(waiver.ticket, 100)}.`;
  return `${prose(title)}: ${prose(text)}${remarks}${waived}`;
}

/** A table of the load runs, why those are not good that are not, and latency against earlier runs. */
function load({ load: runs }: Report): string[] {
  if (runs.length === 0) return [];
  const heads = ["run", "verdict", "requests", "rate", "p50", "p95", "p99", "failed", "429", "why"];
  const shown = runs.slice(0, mostLoadRows);
  return [
    "### Load",
    table(heads, shown.map(loadRow)),
    ...rest(runs.length - shown.length, "load run"),
    ...shown.flatMap(comparison),
  ];
}

function loadRow({ name, label, result, reasons, figures, thresholds }: ShownLoad): string[] {
  const waived = thresholds.flatMap(({ name: limited, figures: measured, waiver }) =>
    waiver === undefined ? [] : [`${limited}: ${measured}; waived until ${waiver.expires}, ${waiver.ticket}`],
  );
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
    [...reasons, ...waived]
      .slice(0, 5)
      .map((reason) => prose(reason))
      .join("<br>"),
  ];
}

function comparison({ name, comparison: compared }: ShownLoad): string[] {
  if (compared === undefined) return [];
  const { label, text, runs, rows } = compared;
  const against = `${prose(name)} against ${counted(runs.before, "earlier run")}: **${label}**. ${prose(text, 600)}`;
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
    ...rest(rows.length - cells.length, "latency", "latencies"),
  ];
}

/** What breaks clients first; the harmless changes are only counted. */
function drift({ drift: shown }: Report): string[] {
  if (shown === undefined) return [];
  const title = `### Contract changes since ${minute(shown.since)}`;
  const listed = shown.changes.filter(({ rank }) => rank !== "harmless");
  const harmless = shown.changes.length - listed.length;
  const remark = harmless > 0 ? `${counted(harmless, "harmless change")}.` : undefined;
  if (listed.length === 0) return [title, remark ?? "None."];
  const rows = listed
    .slice(0, mostRows)
    .map(({ rank, label, text, rule }) => [
      rank === "breaking" ? `**${label}**` : label,
      prose(text, 600),
      code(rule),
    ]);
  return [
    title,
    table(["rank", "change", "rule"], rows),
    ...rest(listed.length - rows.length, "change"),
    ...(remark === undefined ? [] : [remark]),
  ];
}

/** By the cause: that is what someone can fix. */
function notJudged({ notJudgedCauses: causes }: Report): string[] {
  if (causes.length === 0) return [];
  const lines = causes.slice(0, mostRows).map(({ cause, requirements, also }) => {
    const group = [...requirements, ...also];
    const ids = group.slice(0, mostIds).map(({ id }) => code(id));
    return `- ${prose(cause, 600)}<br>${ids.join(", ")}${more(group.length - ids.length)}`;
  });
  return ["### Not judged", lines.join("\n"), ...rest(causes.length - lines.length, "cause")];
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
    ...rest(all.length - rows.length, "waiver"),
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
  return [folded(title, table(heads, rows), ...rest(all.length - rows.length, "section"))];
}

function more(count: number): string {
  return count > 0 ? ` and ${grouped(count)} more` : "";
}

/** Says how many of a list were left off here. */
function rest(count: number, one: string, many = `${one}s`): string[] {
  return count > 0 ? [`And ${grouped(count)} more ${count === 1 ? one : many}: see \`report.html\`.`] : [];
}

/** Whole blocks only: half a table or an open fence would swallow what another step writes after it. */
function bounded(blocks: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const block of blocks) {
    length += block.length + 2;
    if (length > longest) {
      kept.push("The rest is left off here: see `report.html`.");
      break;
    }
    kept.push(block);
  }
  return `${kept.join("\n\n")}\n`;
}
