import type { Verdict } from "../../../../conformance/requirements/verdict.ts";
import { verdictLabels } from "../../../../schemas/verdicts.ts";
import { between, clip, counted, grouped } from "../../../../schemas/words/format.ts";
import { contractTable } from "../../../earlier/shown-changes.ts";
import {
  type Blocks,
  type FoldBlock,
  group,
  line,
  names,
  only,
  onlyText,
  type PageDocument,
  paragraph,
  type SectionBlock,
  type TableBlock,
  type Text,
  type TextPart,
} from "../../document.ts";
import { verdictTones } from "../../tones.ts";
import { discoveredSection } from "./discovered-section.ts";
import {
  type ConsoleFacts,
  ending,
  notJudgedSection,
  reportPage,
  requirementCards,
  requirementRow,
} from "./judged.ts";
import { failedLoadCards, loadRunSection, loadSection } from "./load-section.ts";
import type { ShownCheck, ShownRequirement } from "./requirements.ts";
import type { Report } from "./run-report.ts";
import type { ShownLoad } from "./shown-load.ts";
import { renderTicket } from "./ticket.ts";
import { twinSection } from "./twin-section.ts";

/** A run: verdict and failures first, background last. */
export function runDocument(report: Report, facts: ConsoleFacts = {}): PageDocument {
  const { results, label, tone, why, others, notJudged, load } = report;
  const { command, target } = results;
  return {
    page: reportPage,
    whole: "results.json",
    skip: "Skip to the findings",
    tone,
    label,
    about: [{ own: `${command} of ` }, { code: target.name }],
    summary: others === undefined ? why : [why, { faint: [{ own: " " }, others] }],
    filter: filterOf(report),
    head: [consoleHead(report), markdownHead(report), pageHead(report)],
    blocks: [
      failedSection(report),
      notJudgedSection(report.notJudgedCauses, notJudged.length),
      waiversSection(report),
      driftSection(report),
      warningsSection(report),
      loadSection(load, results.requirements.length === 0),
      twinSection(results.twin),
      sectionCounts(report),
      requirementsSection(report),
      aboutSection(report),
      endingOf(report, facts),
    ],
  };
}

/** The filter of the page; omitted with fewer than two findings. */
function filterOf({ results, sections, failed, warned, waived, notJudged }: Report): PageDocument["filter"] {
  const findings = [failed, warned, waived, notJudged].flat().flatMap(({ reported }) => reported);
  if (findings.length < 2) return undefined;
  return {
    sections: sections.map(({ name }) => name),
    verdicts: (Object.keys(verdictLabels) as Verdict[])
      .filter((verdict) => results.requirements.some((one) => one.verdict === verdict))
      .map((id) => ({ id, label: verdictLabels[id] })),
  };
}

function consoleHead(report: Report): SectionBlock {
  const { results, label, tone, counts, sent } = report;
  const { command, target, requirements } = results;
  const unmet = requirements.filter(({ verdict }) => verdict === "notApplicable").map(({ id }) => id);
  const judged = { code: target.name };
  return only(
    ["console"],
    group(
      paragraph(
        line`${{ strong: { tone, label: label.toUpperCase() } }}: ${command} of ${judged} at ${{ code: target.baseUrl }}`,
      ),
      requirements.length > 0 && paragraph({ faint: line`${counts}; ${sent}` }),
      unmet.length > 0 && paragraph({ faint: line`Not applicable: ${names(unmet)}` }),
      ...cautions(report),
    ),
    group(...problemBlocks(report)),
  );
}

function markdownHead(report: Report): SectionBlock {
  const { results, why, others, top, next, counts, sent } = report;
  const { target, exitCode, startedAt, finishedAt, requirements } = results;
  return only(
    ["markdown"],
    ...cautions(report),
    paragraph(others === undefined ? why : [why, { own: " " }, others]),
    { kind: "list", items: top.map(({ id, text }) => line`${{ code: id }}: ${text}`) },
    ...problemBlocks(report),
    // A table: a list would be one with the findings above it.
    {
      kind: "table",
      caption: "The run",
      columns: ["target", "when", "judged", "exit code", "next"],
      rows: [
        {
          cells: [
            { code: target.baseUrl },
            line`${{ time: startedAt }}, ${{ own: between(startedAt, finishedAt) }}`,
            requirements.length === 0 ? "" : { own: `${counts}; ${sent}` },
            { own: `${exitCode}` },
            next === undefined ? "" : { command: next },
          ],
        },
      ],
    },
  );
}

/** What every face says first: that the user's service was not judged, and settings that kept it from being judged. */
function cautions({ notice, warnings }: Report): Blocks {
  // The label of a page has a frame of its own.
  const colon = [onlyText(["console", "markdown"], ": "), onlyText(["html"], " ")];
  const label: TextPart = { strong: { tone: "unsure", label: "Warning" } };
  return [
    notice && paragraph({ strong: notice }),
    ...warnings.map((text) => paragraph([label, ...colon, text])),
  ];
}

/** What went wrong, and how to fix it. If it decided, a page and a summary have said it as the reason. */
function problemBlocks({ results: { problem }, cause }: Report): Blocks {
  if (problem === undefined) return [];
  const { what, where, fix } = problem;
  return [
    paragraph(
      line`${{ strong: what }}: ${{ code: where }}.`,
      ...(cause === "problem" ? (["console"] as const) : []),
    ),
    ...fix.split("\n").map((one) => paragraph(one)),
  ];
}

/** The first screen of the page: verdict with its reason, the worst findings, the next steps, how the run was made. */
function pageHead(report: Report): SectionBlock {
  const { results, top, steps, counts, load } = report;
  const { target, exitCode, startedAt, finishedAt, requirements } = results;
  const findings = top.map(({ id, text }) => ({ faint: linked(id, clip(text, 240), report) }));
  const next = steps.map(({ text, command }) => [
    ...[text].flat(),
    { own: " " },
    command === undefined ? undefined : { command },
  ]);
  return only(
    ["html"],
    ...cautions(report),
    ...problemBlocks(report),
    {
      kind: "facts",
      facts: [
        ["Target", line`${{ code: target.baseUrl }}${target.builtIn ? " (built-in reference service)" : ""}`],
        ["When", line`${{ time: startedAt }}, ${{ own: between(startedAt, finishedAt) }}`],
        ["Exit code", { strong: { own: String(exitCode) } }],
        ["Judged", requirements.length === 0 ? undefined : { link: { own: counts }, to: "#requirements" }],
        ...load.map((run, at): [string, Text] => [
          "Load",
          line`${{ tone: run.tone, label: run.label }} ${{ link: run.name, to: `#load-${at}` }}: ${{ own: figuresLine(run) }}`,
        ]),
      ],
    },
    {
      kind: "columns",
      columns: [
        // What is alone has its card right below.
        {
          title: "What to look at first",
          blocks: isAlone(report) ? [] : [{ kind: "list", ordered: true, items: findings }],
        },
        { title: "What to do", blocks: [{ kind: "list", ordered: true, items: next }] },
      ],
    },
  );
}

/** Whether the first part of the page is the card of the only thing that failed, or the only cause of what was not judged. */
function isAlone({ failed, load, top, cause, notJudgedCauses }: Report): boolean {
  const cards = failed.length + load.filter(({ result }) => result.verdict !== "pass").length;
  if (cause === "not-judged") return cards === 0 && notJudgedCauses.length === 1;
  return top.length === 1 && failed.length === 1 && cards === 1;
}

/** A finding as a link to its place, if it has one. */
function linked(id: string, text: string, { results, load }: Report): Text {
  const run = load.findIndex(({ name }) => name === id);
  if (run >= 0) return { link: text, to: `#load-${run}` };
  const isRequirement = results.requirements.some((requirement) => requirement.id === id);
  return isRequirement ? { link: text, to: `#${id}` } : text;
}

/** How the run was made. */
function howMade({ results, load, sent }: Report): FoldBlock {
  const { environment, tool, requests, target } = results;
  const conditions = load.map(({ result }) => result.conditions).find((one) => one !== undefined);
  const { commandLine, commit, branch, jobUrl, host, node } = environment ?? {};
  const versions = [
    `${tool.name} ${tool.version}`,
    conditions?.k6 && `k6 ${conditions.k6}`,
    node && `Node ${node}`,
    "specification /v1",
  ];
  return {
    kind: "fold",
    title: "How this run was made",
    blocks: [
      {
        kind: "facts",
        facts: [
          ["Command", commandLine === undefined ? undefined : { code: commandLine }],
          [
            "Commit",
            commit && [{ code: commit }, ...(branch === undefined ? [] : [{ own: " on " }, branch])],
          ],
          ["Job", jobUrl === undefined ? undefined : { address: jobUrl }],
          ["Versions", { own: versions.filter((one) => one !== undefined).join(", ") }],
          ["Seed", conditions?.seed],
          ["Machine", host ?? conditions?.host],
          ["Key fingerprint", { code: target.keyFingerprint }],
          ["Conformance", requests.total === 0 ? undefined : { own: sent }],
        ],
      },
    ],
  };
}

/** The figures of a load run in one line: `414 requests, p95 57.2 ms, none failed, 150 invalid`. */
function figuresLine({ figures, result: { validated } }: ShownLoad): string {
  const { sent, p95, limit, failed = "none" } = figures;
  const invalid = validated.invalid > 0 ? `${grouped(validated.invalid)} invalid` : undefined;
  return [limit, sent, p95 && `p95 ${p95}`, `${failed} failed`, invalid]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** Number of failures whose exchange a job summary shows. */
const mostExchanges = 10;

function failedSection(report: Report): SectionBlock {
  const { failed, load } = report;
  const loadCards = failedLoadCards(load);
  return {
    kind: "section",
    id: "failed",
    title: onlyText(["markdown", "html"], "Failed"),
    count: failed.length + loadCards.length,
    blocks: [
      requirementCards(failed, repeats(report), mostExchanges),
      {
        kind: "cards",
        seen: "why",
        nouns: { card: "load run", finding: "reason" },
        cards: loadCards,
      },
    ],
  };
}

/** The command that repeats a finding, and its ticket. */
function repeats(report: Report) {
  return ({ id }: ShownCheck, { replay }: ShownRequirement) => ({
    command: replay,
    ticket: () => renderTicket(report, id),
  });
}

function warningsSection(report: Report): SectionBlock {
  const all = [...report.warned, ...report.waived];
  return {
    kind: "section",
    id: "warnings",
    title: onlyText(["markdown", "html"], "Warnings"),
    count: all.length,
    blocks: [requirementCards(all, repeats(report), 0)],
  };
}

/** Selected requirements and load runs of a run. */
export function foundBlocks(requirements: readonly ShownRequirement[], load: readonly ShownLoad[]): Blocks {
  return [requirementCards(requirements), ...load.map((one, index) => group(loadRunSection(one, index)))];
}

/** Breaking changes first; harmless ones are counted, and listed on the page. */
function driftSection({ drift }: Report): SectionBlock {
  const { since, changes } = drift ?? { since: "", changes: [] };
  const harmless = changes.filter(({ rank }) => rank === "harmless");
  const count = { own: counted(harmless.length, "harmless change") };
  return {
    kind: "section",
    id: "drift",
    title: "Contract changes",
    count: changes.length,
    blocks:
      drift === undefined
        ? []
        : [
            paragraph(line`Compared with the baseline of ${{ time: since }}.`),
            changes.length === 0 && paragraph("Nothing changed."),
            contractTable(changes.filter((one) => !harmless.includes(one))),
            harmless.length > 0 && paragraph([count, { own: "." }], "console", "markdown"),
            { kind: "fold", only: ["html"], title: count, blocks: [contractTable(harmless)] },
          ],
  };
}

/** Waivers, expired and stale ones first. */
function waiversSection(report: Report): SectionBlock {
  return {
    kind: "section",
    id: "waivers",
    title: "Waivers",
    count: report.waivers.length,
    // A console has said of what an active one covers that it is waived.
    blocks: [
      { ...waiverTable(report), only: ["markdown", "html"] },
      {
        ...waiverTable({ ...report, waivers: report.waivers.filter(({ state }) => state !== "active") }),
        only: ["console"],
      },
    ],
  };
}

function waiverTable({ waivers, results }: Report): TableBlock {
  const known = new Set(
    results.requirements.flatMap(({ id, checks }) => [id, ...checks.map((check) => check.id)]),
  );
  return {
    kind: "table",
    caption: "Waivers, expired and stale ones first",
    inLines: true,
    most: { shown: 50, one: "waiver" },
    columns: ["state", "waived", "until", "owner", "ticket", "reason"],
    rows: waivers.map(({ waiver: { id, reason, owner, ticket, expires }, label, tone, fix = "" }) => ({
      cells: [
        { tone, label },
        known.has(id) ? { link: { code: id }, to: `#${id}` } : { code: id },
        { code: expires },
        { code: owner },
        { address: ticket },
        { lines: [reason, fix] },
      ],
      sentence: [{ tone, label }, { own: `: ${id}, until ${expires}, ${owner}, ${ticket}: ${reason}` }],
      below: fix === "" ? [] : [fix],
    })),
  };
}

/** Verdicts by section. A console has counted the checks of each while they ran, and names what did not pass. */
function sectionCounts({ sections }: Report): FoldBlock {
  return {
    kind: "fold",
    only: ["markdown"],
    title: "Requirements by section",
    blocks: [
      { kind: "facts", facts: sections.map(({ name, text }): [string, Text] => [name, { own: text }]) },
    ],
  };
}

/** Every requirement with its verdict, by the sections of the spec, for the page. */
function requirementsSection({ results, sections, failed, counts }: Report): SectionBlock {
  const folds = sections.map(
    ({ name, requirements, counts: verdicts, text }): FoldBlock => ({
      kind: "fold",
      filtered: true,
      tone: verdictTones[verdicts[0]?.[0] ?? "notApplicable"],
      title: name,
      aside: { own: text },
      blocks: [{ kind: "rows", rows: requirements.map(requirementRow) }],
    }),
  );
  return {
    kind: "section",
    only: ["html"],
    id: "requirements",
    title: "Requirements",
    count: results.requirements.length,
    // What failed stands above: the rest is one line then.
    blocks: failed.length === 0 ? folds : [{ kind: "fold", title: { own: counts }, blocks: folds }],
  };
}

function aboutSection(report: Report): SectionBlock {
  const { results } = report;
  return {
    kind: "section",
    only: ["html"],
    id: "run",
    title: "About this run",
    blocks: [
      howMade(report),
      {
        kind: "fold",
        title: "What was discovered of the service",
        blocks: discoveredSection(results.discovered).blocks,
      },
      paragraph([
        { own: "Beside this page: " },
        ...neighbours(report).flatMap((file, at): TextPart[] => [
          { own: at === 0 ? "" : ", " },
          { link: file, to: file },
        ]),
        { own: ". " },
        { faint: "Everything on this page comes from results.json. Neither file contains keys." },
      ]),
    ],
  };
}

/** Files that every run writes beside its page, and those of its load. */
function neighbours({ load }: Report): string[] {
  const ofLoad = load.flatMap(({ result: { scenario } }) => `load/${scenario}/k6.log`);
  return ["results.json", "summary.md", "junit.xml", ...ofLoad];
}

function endingOf({ results, cause, why, besides, others, next }: Report, facts: ConsoleFacts): SectionBlock {
  const says = [
    next && paragraph(line`Next: ${{ command: next }}`),
    others !== undefined && paragraph(others),
  ];
  const { exitCode, problem } = results;
  // The head of a console has said where.
  const decided =
    cause === "problem" && problem !== undefined ? [`${problem.what}.`, ...besides].join(" ") : why;
  return ending({ exitCode, why: decided, says }, facts);
}
