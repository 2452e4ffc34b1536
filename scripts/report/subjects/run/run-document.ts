import { dirname, join } from "node:path";
import type { Verdict } from "../../../../conformance/requirements/verdict.ts";
import { endpointLabel } from "../../../../schemas/api.ts";
import { countedLabel, verdictLabels } from "../../../../schemas/verdicts.ts";
import { between, clip, counted, grouped, minute } from "../../../../schemas/words/format.ts";
import { contractTable } from "../../contract.ts";
import {
  type Block,
  type Blocks,
  type Card,
  type CardsBlock,
  type Document,
  type Face,
  type FoldBlock,
  group,
  type ListItem,
  line,
  names,
  only,
  onlyText,
  paragraph,
  requirementNouns,
  type SectionBlock,
  type TableBlock,
  type Text,
  type TextPart,
  type Tile,
} from "../../document.ts";
import { plainProse } from "../../text.ts";
import { verdictTones } from "../../tones.ts";
import { checkBlocks, coverageSection, unjudgeable } from "./coverage.ts";
import { discoveredSection } from "./discovered-section.ts";
import { failedLoadCards, loadRunSection, loadSection } from "./load-section.ts";
import { type NotJudgedCause, wordsFor } from "./parts.ts";
import { placesOf } from "./places.ts";
import type { ShownCheck, ShownRequirement } from "./requirements.ts";
import type { Report } from "./run-report.ts";
import { timelineSection } from "./run-timeline.ts";
import type { LoadFigures, ShownLoad } from "./shown-load.ts";
import { renderTicket } from "./ticket.ts";
import { twinSection } from "./twin-section.ts";

/** What a console says besides the report. */
export interface ConsoleFacts {
  /** Path of `results.json` from the working directory; undefined if it could not be written. */
  readonly resultsFile: string | undefined;
  /** Whether the run ended earlier, so that its exit code is not that of the command. Default: false */
  readonly isPast?: boolean;
}

/** A run: verdict and failures first, background last. */
export function runDocument(report: Report, facts: ConsoleFacts = { resultsFile: undefined }): Document {
  const { results, label, tone, why, further, warned, waived, load } = report;
  const { command, target } = results;
  const [drift, notJudged, waivers] = [
    driftSection(report),
    notJudgedSection(report),
    waiversSection(report),
  ];
  return {
    page: reportPage,
    whole: "results.json",
    skip: "Skip to the findings",
    withoutScript:
      "Without JavaScript, the page shows the verdict, the findings and the tables. Requests, responses and charts need JavaScript; results.json has them too.",
    tone,
    label,
    about: [{ own: `${command} of ` }, { code: target.name }],
    summary: [why, ...further.map(({ text }): Text => ({ faint: [{ own: " " }, text] }))].flat(),
    filter: filterOf(report),
    head: [consoleHead(report), markdownHead(report), pageHead(report)],
    blocks: [
      failedSection(report),
      only(["console"], requirementCards(report, [...warned, ...waived])),
      on(["html"], notJudged),
      on(["html"], waivers),
      on(["html"], drift),
      {
        kind: "section",
        only: ["html"],
        id: "warnings",
        title: "Warnings",
        count: warned.length,
        blocks: [requirementCards(report, warned)],
      },
      loadSection(load),
      twinSection(results.twin),
      on(["console", "markdown"], drift),
      on(["console", "markdown"], notJudged),
      on(["console", "markdown"], waivers),
      {
        kind: "fold",
        only: ["markdown"],
        title: { own: `${counted(warned.length + waived.length, "requirement")} with a warning` },
        blocks: [requirementCards(report, [...warned, ...waived])],
      },
      ...sectionCounts(report),
      timelineSection(report),
      coverageSection(report),
      aboutSection(report),
      ending(report, facts),
    ],
  };
}

const reportPage = "report.html";

function on(faces: readonly Face[], section: SectionBlock): SectionBlock {
  return { ...section, only: faces };
}

/** The filter of the page; omitted with fewer than two findings. */
function filterOf({ results, sections, failed, warned, waived, notJudged }: Report): Document["filter"] {
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
  const { results, label, tone, counts, further } = report;
  const { command, target, requirements, requests, problem } = results;
  const judged = { code: target.name };
  return only(
    ["console"],
    group(
      paragraph(
        line`${{ strong: { tone, label: label.toUpperCase() } }}: ${command} of ${judged} at ${{ code: target.baseUrl }}`,
      ),
      requirements.length > 0 && paragraph({ faint: line`${counts}; ${counted(requests.total, "request")}` }),
      unjudgeable(report) && paragraph({ faint: unjudgeable(report) }),
      ...further
        .filter(({ kind }) => kind === "requests")
        .map(({ text }) => paragraph({ tone: "unsure", label: plainProse(text) })),
      ...cautions(report),
    ),
    group(...problemBlocks(problem)),
  );
}

function markdownHead(report: Report): SectionBlock {
  const { results, why, further, top, next, counts } = report;
  const { target, exitCode, problem, startedAt, finishedAt, requests, requirements } = results;
  const sent = counted(requests.total, "request");
  return only(
    ["markdown"],
    ...cautions(report),
    paragraph([why, ...further.flatMap(({ text }) => [{ own: " " }, text])]),
    { kind: "list", items: top.map(({ id, text }) => line`${{ code: id }}: ${text}`) },
    ...problemBlocks(problem),
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
            requirements.length === 0
              ? ""
              : { lines: [{ own: `${counts}; ${sent}` }, { own: unjudgeable(report) }] },
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

function problemBlocks(problem: Report["results"]["problem"]): Blocks {
  if (problem === undefined) return [];
  const { what, where, fix } = problem;
  return [
    paragraph(line`${{ strong: what }}: ${{ code: where }}`),
    ...fix.split("\n").map((one) => paragraph(one)),
  ];
}

/** The first screen of the page: verdict with its reason, the worst findings, the next steps, how the run was made. */
function pageHead(report: Report): SectionBlock {
  const { results, top, steps } = report;
  const { target, exitCode, startedAt, finishedAt, problem } = results;
  const findings = top.map(({ id, text }) => line`${clip(text, 240)} ${placeOf(id, report)}`);
  const next = steps.map(({ text, command }) => [
    ...[text].flat(),
    { own: " " },
    command === undefined ? undefined : { command },
  ]);
  return only(
    ["html"],
    ...cautions(report),
    ...problemBlocks(problem),
    {
      kind: "facts",
      facts: [
        ["Target", line`${{ code: target.baseUrl }}${target.builtIn ? " (built-in reference service)" : ""}`],
        ["When", line`${{ time: startedAt }}, ${{ own: between(startedAt, finishedAt) }}`],
        ["Exit code", { strong: { own: String(exitCode) } }],
      ],
    },
    {
      kind: "columns",
      columns: [
        // A single failure has its card right below.
        {
          title: "What to look at first",
          blocks: isAlone(report) ? [] : [{ kind: "list", ordered: true, items: findings }],
        },
        { title: "What to do", blocks: [{ kind: "list", ordered: true, items: next }] },
      ],
    },
    { kind: "tiles", tiles: tiles(report) },
  );
}

/** Whether the first part of the page is the card of the only thing that failed. */
function isAlone({ failed, load, top }: Report): boolean {
  const cards = failed.length + load.filter(({ result }) => result.verdict !== "pass").length;
  return top.length === 1 && failed.length === 1 && cards === 1;
}

/** The id of a finding, as a link to its place. */
function placeOf(id: string, { results, load }: Report): Text {
  const run = load.findIndex(({ name }) => name === id);
  if (run >= 0) return { link: id, to: `#load-${run}` };
  const isRequirement = results.requirements.some((requirement) => requirement.id === id);
  return isRequirement ? { link: { code: id }, to: `#${id}` } : { code: id };
}

/** How the run was made. */
function howMade({ results, load }: Report): FoldBlock {
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
          ["Conformance requests", requests.total === 0 ? undefined : { own: grouped(requests.total) }],
        ],
      },
    ],
  };
}

function tiles({ results, summary, warned, waivers, drift, load }: Report): Tile[] {
  const places = {
    fail: "#failed",
    error: "#failed",
    inconclusive: "#not-judged",
    warn: warned.length > 0 ? "#warnings" : "#waivers",
    pass: "#coverage",
    notApplicable: "#coverage",
  } as const satisfies Record<Verdict, string>;
  const verdicts = (Object.keys(verdictLabels) as Verdict[])
    .filter((verdict) => summary[verdict] > 0 || verdict === "pass" || verdict === "fail")
    .filter(() => results.requirements.length > 0);
  const counting = (to: string, tone: Tile["tone"], count: number, name: string): Tile[] => [
    { to, tone, shows: { count: grouped(count), name } },
  ];
  const changes = drift?.changes ?? [];
  const isBreaking = changes.some(({ rank }) => rank === "breaking");
  const many = (count: number, one: string) => (count === 1 ? one : `${one}s`);
  return [
    ...verdicts.flatMap((verdict) => {
      const count = summary[verdict];
      const isNone = count === 0;
      const tone = isNone ? "plain" : verdictTones[verdict];
      return counting(isNone ? "#coverage" : places[verdict], tone, count, countedLabel(verdict, count));
    }),
    ...(waivers.length === 0
      ? []
      : counting("#waivers", "notice", waivers.length, many(waivers.length, "waiver"))),
    ...(drift === undefined
      ? []
      : counting(
          "#drift",
          isBreaking ? "bad" : "plain",
          changes.length,
          many(changes.length, "contract change"),
        )),
    ...load.map(({ name, label, tone, figures, result }, at) => ({
      to: `#load-${at}`,
      tone,
      shows: { label, name, figures: figuresLine(figures, result) },
    })),
  ];
}

/** The figures of a load run in one line: `414 requests, p95 57.2 ms, none failed, 150 invalid`. */
function figuresLine(
  { sent, p95, limit, failed = "0 %" }: LoadFigures,
  { validated }: ShownLoad["result"],
): string {
  return [
    limit,
    sent,
    p95 && `p95 ${p95}`,
    failed === "0 %" ? "none failed" : `${failed} failed`,
    validated.invalid > 0 ? `${grouped(validated.invalid)} invalid` : undefined,
  ]
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
    titles: { markdown: { own: `Failed: ${counted(failed.length, "requirement")}` }, html: "Failed" },
    count: failed.length + loadCards.length,
    blocks: [
      requirementCards(report, failed, mostExchanges),
      {
        kind: "cards",
        only: ["html"],
        seen: "",
        nouns: { card: "load run", finding: "reason" },
        cards: loadCards,
      },
    ],
  };
}

function requirementCards(
  report: Report,
  requirements: readonly ShownRequirement[],
  exchanges = 0,
): CardsBlock {
  return {
    kind: "cards",
    seen: "statement, and what was seen",
    nouns: requirementNouns,
    exchanges,
    cards: requirements.map((requirement) => requirementCard(requirement, report)),
  };
}

/** Selected requirements and load runs of a run. */
export function foundBlocks(requirements: readonly ShownRequirement[], load: readonly ShownLoad[]): Blocks {
  return [
    {
      kind: "cards",
      seen: "",
      nouns: requirementNouns,
      cards: requirements.map((one) => requirementCard(one)),
    },
    ...load.map((one, index) => group(loadRunSection(one, index))),
  ];
}

/** A requirement with the checks that did not pass. */
function requirementCard(requirement: ShownRequirement, report?: Report): Card {
  const { id, section, level, statement, quote, verdict, text, reported, replay } = requirement;
  const groups = alike(reported);
  return {
    tone: verdictTones[verdict],
    label: verdictLabels[verdict],
    id,
    about: [section, { own: `, ${level.toUpperCase()}` }],
    title: statement,
    quote,
    keys: { verdict, section },
    findings:
      reported.length === 0
        ? [{ facts: text === "" ? [] : [{ text }], exchanges: [] }]
        : groups.map(([check, ...others]) => ({
            ...checkFinding(check, groups.length > 1 && addsTo(check.title, requirement)),
            also: others,
            command: replay,
            ticket: report === undefined ? undefined : () => renderTicket(report, check.id),
          })),
  };
}

/** Checks that found the same at the same place, as one: the one that counted how often comes first. */
function alike(reported: readonly ShownCheck[]): (readonly [ShownCheck, ...ShownCheck[]])[] {
  const groups = Map.groupBy(reported, (check) => {
    const { verdict, found, waiver } = check;
    const [first] = found;
    const isPlaced = first !== undefined && first.data.code !== "recorded";
    if (!isPlaced || found.length > 1 || waiver !== undefined) return check;
    const { code, path, subject, actual, expected, product } = first.data;
    return JSON.stringify([verdict, code, path, subject, actual, expected, product]);
  });
  const total = ({ found: [first] }: ShownCheck) => first?.data.seen?.total ?? 0;
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => total(b) - total(a));
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

/** Whether the title of a check says more than the statement of its requirement. */
function addsTo(title: string, { statement }: ShownRequirement): boolean {
  const beginning = (text: string) => text.toLowerCase().split(/\W+/).slice(0, 4).join(" ");
  return beginning(title) !== beginning(statement);
}

function checkFinding(check: ShownCheck, isTitled: boolean): Card["findings"][number] {
  const { id, title, text, parts, found, remarks, evidence, waiver } = check;
  return {
    id,
    title: isTitled ? title : undefined,
    facts: (found.length === 0 ? [text] : parts).map((one, at) => {
      const { often, pattern = [] } = found[at] ?? {};
      return { text: one, where: [...(often === undefined ? [] : [often]), ...pattern] };
    }),
    remarks: [
      [onlyText(["console", "markdown"], { own: remarks }), onlyText(["html"], { own: remarks.trim() })],
      ...(waiver === undefined
        ? []
        : [
            [
              onlyText(["console"], { own: ` (waived until ${waiver.expires}, ${waiver.ticket})` }),
              onlyText(["markdown"], line` Waived until ${waiver.expires}, ${{ code: waiver.ticket }}.`),
              onlyText(["html"], line`Waived until ${waiver.expires} by ${waiver.owner}: ${waiver.reason}`),
            ],
          ]),
    ],
    places: () => placesOf(check),
    exchanges: evidence,
  };
}

/** Breaking changes first. Console and Markdown count the harmless ones. */
function driftSection({ drift }: Report): SectionBlock {
  const { since, changes } = drift ?? { since: "", changes: [] };
  const listed = changes.filter(({ rank }) => rank !== "harmless");
  const harmless = changes.length - listed.length;
  const title = drift && { own: `Contract changes since ${minute(since)}` };
  return {
    kind: "section",
    id: "drift",
    titles: { ...(title && { console: title, markdown: title }), html: "Contract changes" },
    count: changes.length,
    blocks:
      drift === undefined
        ? []
        : [
            paragraph(line`Compared with the baseline of ${{ time: since }}.`, "html"),
            changes.length === 0 && paragraph("Nothing changed.", "html"),
            { ...contractTable(changes), only: ["html"] },
            changes.length === 0 &&
              paragraph(
                [onlyText(["console"], "none"), onlyText(["markdown"], "None.")],
                "console",
                "markdown",
              ),
            { ...contractTable(listed), only: ["console", "markdown"] },
            harmless > 0 &&
              paragraph(
                [{ faint: { own: counted(harmless, "harmless change") } }, onlyText(["markdown"], ".")],
                "console",
                "markdown",
              ),
          ],
  };
}

/** Number of ids named for one cause in Markdown. */
const mostIds = 30;

/** Requirements that were not judged, by their causes, since a cause is what can be fixed. */
function notJudgedSection({ notJudgedCauses: causes, notJudged }: Report): SectionBlock {
  const title = "Not judged";
  return {
    kind: "section",
    id: "not-judged",
    titles: {
      console: { tone: "unsure", label: title },
      markdown: { own: `${title}: ${counted(notJudged.length, "requirement")}` },
      html: title,
    },
    count: notJudged.length,
    blocks: [
      {
        kind: "list",
        only: ["console", "markdown"],
        most: { shown: 50, one: "cause" },
        items: causes.map(({ cause, requirements, also }) => {
          const ids = [...requirements, ...also].map(({ id }) => id);
          const shown = ids.slice(0, mostIds);
          const left = shown.length < ids.length ? ` (${shown.length} of ${grouped(ids.length)} shown)` : "";
          return {
            text: line`${{ own: counted(ids.length, "requirement") }}: ${cause}`,
            below: [
              [
                onlyText(["console"], { faint: names(ids) }),
                onlyText(["markdown"], [...names(shown), { own: left }]),
              ],
            ],
          };
        }),
      },
      ...causes.map((cause) => causeFold(cause)),
    ],
  };
}

/** A cause on a page: it opens to its requirements, and each of them to its checks. */
function causeFold({ text, fix, requirements, also }: NotJudgedCause): FoldBlock {
  return {
    kind: "fold",
    only: ["html"],
    filtered: true,
    tone: "unsure",
    title: [{ strong: text }, { own: " " }, fix],
    aside: { own: counted(requirements.length + also.length, "requirement") },
    blocks: [
      {
        kind: "rows",
        rows: requirements.map((requirement) => {
          const { id, statement, section, level, verdict } = requirement;
          const about = { faint: line`${{ code: id }} ${{ own: level.toUpperCase() }}, ${section}` };
          return {
            text: line`${statement} ${about}`,
            id,
            keys: { verdict, section },
            blocks: checkBlocks(requirement),
          };
        }),
      },
      also.length > 0 &&
        paragraph(
          line`Also needed by ${also.flatMap(({ id }) => [{ own: " " }, { link: { code: id }, to: `#${id}` }])}`,
        ),
    ],
  };
}

/** Waivers, expired and stale ones first. On a page, also what they cover. */
function waiversSection(report: Report): SectionBlock {
  const { waivers, waived } = report;
  return {
    kind: "section",
    id: "waivers",
    title: "Waivers",
    count: waivers.length,
    blocks: [waiverTable(report), only(["html"], requirementCards(report, waived))],
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

/** The number of requirements by section and verdict: a console has a line, Markdown a row for each. */
function sectionCounts({ sections, results }: Report): Block[] {
  const verdicts = (Object.keys(verdictLabels) as Verdict[]).filter((verdict) =>
    results.requirements.some((one) => one.verdict === verdict),
  );
  // The progress has named each section; where everything passed, there is nothing to add.
  const open = sections.filter(({ counts }) => counts.some(([verdict]) => verdict !== "pass"));
  return [
    {
      kind: "section",
      only: ["console"],
      title: "Sections with more than passed requirements",
      blocks: [{ kind: "facts", facts: open.map(({ name, text }) => [name, { own: text }]) }],
    },
    {
      kind: "fold",
      only: ["markdown"],
      title: { own: `${counted(results.requirements.length, "requirement")} by section` },
      blocks: [
        {
          kind: "table",
          caption: "Requirements by section",
          most: { shown: 100, one: "section" },
          columns: ["section", ...verdicts.map((verdict) => verdictLabels[verdict])],
          rows: sections.map(({ name, counts }) => {
            const by = new Map(counts);
            return { cells: [name, ...verdicts.map((verdict) => ({ own: grouped(by.get(verdict) ?? 0) }))] };
          }),
        },
      ],
    },
  ];
}

function aboutSection(report: Report): SectionBlock {
  const { results } = report;
  const { requests } = results;
  return {
    kind: "section",
    only: ["html"],
    id: "run",
    title: "About this run",
    blocks: [
      howMade(report),
      requests.total > 0 && {
        kind: "fold",
        title: "Conformance requests by endpoint",
        blocks: [
          {
            kind: "table",
            caption: "Conformance requests by endpoint",
            columns: ["endpoint", "requests"],
            rows: Object.entries(requests.byEndpoint).map(([endpoint, count]) => ({
              cells: [endpointLabel(endpoint), { own: grouped(count) }],
            })),
          },
        ],
      },
      {
        kind: "fold",
        title: "What was discovered of the service",
        blocks: discoveredSection(results.discovered, wordsFor(results)).blocks,
      },
      paragraph([
        { own: "Beside this page: " },
        ...neighbours(report).flatMap((file, at): TextPart[] => [
          { own: at === 0 ? "" : ", " },
          { link: file, to: file },
        ]),
      ]),
      paragraph({ faint: "Everything on this page comes from results.json. Neither file contains keys." }),
    ],
  };
}

/** Files that every run writes beside its page, and those of its load. */
function neighbours({ load }: Report): string[] {
  const ofLoad = load.flatMap(({ result: { scenario } }) => [
    `load/${scenario}/dashboard.html`,
    `load/${scenario}/k6.log`,
  ]);
  return ["results.json", "summary.md", "findings.md", "junit.xml", "ctrf.json", ...ofLoad];
}

/** The first findings, the next command, what else went wrong, and in the last line the exit code with its cause. */
function ending(report: Report, { resultsFile, isPast = false }: ConsoleFacts): SectionBlock {
  const { results, why, further, top, next } = report;
  const exit = `${isPast ? "The run ended with exit code" : "Exit"} ${results.exitCode}: `;
  const first: ListItem = {
    text: { strong: "First findings" },
    below: top.map(({ id, text }) => ({ own: `${id}: ${clip(plainProse(text), 200)}` })),
  };
  return only(
    ["console"],
    resultsFile !== undefined &&
      group(
        paragraph({ own: `Results: ${resultsFile}` }),
        paragraph({ own: `Report: ${join(dirname(resultsFile), reportPage)}` }),
      ),
    group(
      top.length > 0 && { kind: "list", items: [first] },
      next && paragraph(line`Next: ${{ command: next }}`),
      ...further.filter(({ kind }) => kind === "findings").map(({ text }) => paragraph(text)),
      paragraph([{ own: exit }, why]),
    ),
  );
}
