import { requirements as allRequirements } from "../../../../conformance/requirements/all.ts";
import type { ClientResults } from "../../../../schemas/contracts/client-results.ts";
import { situationWords } from "../../../../schemas/words/clients.ts";
import { between, clip, counted, grouped } from "../../../../schemas/words/format.ts";
import {
  type Blocks,
  group,
  line,
  only,
  onlyText,
  type PageDocument,
  paragraph,
  type SectionBlock,
  type Text,
} from "../../document.ts";
import { plainProse } from "../../text.ts";
import { elapsed } from "../../timeline.ts";
import {
  type ConsoleFacts,
  ending,
  notJudgedSection,
  reportPage,
  requirementCards,
  requirementRow,
} from "../run/judged.ts";
import { notJudgedCauses } from "../run/not-judged.ts";
import type { ShownCheck, ShownRequirement } from "../run/requirements.ts";
import { type ClientReport, clientReportOf } from "./client-report.ts";
import { clientTimeline, isPlayed, requestText } from "./client-timeline.ts";

/** What a console says besides the report; `run` is the name of the run in commands. */
export type ClientFacts = ConsoleFacts & { readonly run: string };

/** The run of a client: verdict and failures first, then what it did and what was played. */
export function clientDocument(results: ClientResults, facts: ClientFacts): PageDocument {
  const report = clientReportOf(results, facts.run);
  const { label, tone, why, further, failed, warned, notJudged, steps } = report;
  return {
    page: reportPage,
    whole: "results.json",
    skip: "Skip to the findings",
    withoutScript:
      "Without JavaScript, the page shows everything except requests with their headers; results.json has them too.",
    tone,
    label,
    about: line`client ${nameOf(results)} on the built-in reference service`,
    summary: [why, ...further.map((text): Text => ({ faint: [{ own: " " }, text] }))].flat(),
    head: headOf(report),
    blocks: [
      cardsSection({ id: "failed", title: "Failed" }, failed, report),
      cardsSection({ id: "warnings", title: "Warnings" }, warned, report),
      // Without any request it says nothing that the first line does not say.
      notJudgedSection(results.requests.total === 0 ? [] : notJudgedCauses(notJudged), notJudged.length),
      tasksSection(results),
      timeSection(results),
      playedSection(results),
      requirementsSection(report),
      excludedSection(),
      outputSection(results),
      ending(
        { exitCode: results.exitCode, why, top: failed.slice(0, 3), says: steps.flatMap(stepBlocks) },
        facts,
      ),
    ],
  };
}

function stepBlocks({ text, command }: ClientReport["steps"][number]): Blocks {
  return [paragraph(text), command === undefined ? undefined : paragraph({ command })];
}

function nameOf({ client: { commandLine } }: ClientResults): Text {
  return commandLine === undefined ? "of another terminal" : { code: clip(commandLine, 200) };
}

function headOf(report: ClientReport): Blocks {
  const { results, label, tone, counts, why, further, steps } = report;
  const { startedAt, finishedAt, exitCode, problem, environment, service, client } = results;
  const sent = sentText(results);
  const caution = problem === undefined ? [] : [paragraph(problem.fix)];
  return [
    only(
      ["console"],
      group(
        paragraph(line`${{ strong: { tone, label: label.toUpperCase() } }}: client ${nameOf(results)}`),
        paragraph({ faint: line`${{ own: counts }}; ${{ own: sent }}` }),
        ...further.map((text) => paragraph({ tone: "unsure", label: plainProse(text) })),
      ),
      group(...caution),
    ),
    only(["markdown"], paragraph([why, ...further.flatMap((text) => [{ own: " " }, text])]), {
      kind: "list",
      items: [
        { own: `${counts}; ${sent}` },
        line`When: ${{ time: startedAt }}, ${{ own: between(startedAt, finishedAt) }}`,
        { own: `Seed ${service.seed}, exit code ${exitCode}` },
      ],
    }),
    only(
      ["html"],
      ...caution,
      {
        kind: "facts",
        facts: [
          ["When", line`${{ time: startedAt }}, ${{ own: between(startedAt, finishedAt) }}`],
          ["Requests", { own: sent }],
          ["Seed", { own: String(service.seed) }],
          ["The client ended with", client.status],
          ["Exit code", { strong: { own: String(exitCode) } }],
          ["Command", environment?.commandLine && { code: environment.commandLine }],
        ],
      },
      {
        kind: "columns",
        columns: [
          { title: "What to do", blocks: [{ kind: "list", ordered: true, items: steps.map(stepText) }] },
        ],
      },
    ),
  ];
}

function stepText({ text, command }: ClientReport["steps"][number]): Text {
  return command === undefined ? text : line`${text} ${{ command }}`;
}

function sentText({ requests, client: { processes } }: ClientResults): string {
  const from = processes < 2 ? "" : ` of ${counted(processes, "process", "processes")}`;
  return `${counted(requests.total, "request")}${from}`;
}

function cardsSection(
  { id, title }: { readonly id: string; readonly title: string },
  requirements: readonly ShownRequirement[],
  { results }: ClientReport,
): SectionBlock {
  return {
    kind: "section",
    id,
    title: onlyText(["markdown", "html"], title),
    count: requirements.length,
    blocks: [
      requirementCards(requirements, (check) => ({
        title: check.title,
        facts: check.found.map(({ text, fix, data }) => ({
          text: [text, ...(fix === undefined ? [] : [{ own: " " }, fix])],
          where: requestsOf(data).map((place) => whereText(place, results.timeline)),
        })),
        remarks: [onlyText(["console", "markdown"], { own: shownBy(check, results.timeline) })],
      })),
    ],
  };
}

function requestsOf({ details }: { readonly details?: unknown }): readonly number[] {
  return (details as { readonly requests?: readonly number[] } | undefined)?.requests ?? [];
}

function whereText(place: number, timeline: ClientResults["timeline"]): string {
  const request = timeline[place];
  return request === undefined
    ? `request ${grouped(place + 1)}`
    : `request ${grouped(place + 1)}, after ${elapsed(request.at)}: ${requestText(request)}`;
}

/** ` (requests 12 and 13)`: the first two requests that show it. */
function shownBy({ found }: ShownCheck, timeline: ClientResults["timeline"]): string {
  const places = [...new Set(found.flatMap(({ data }) => requestsOf(data)))].slice(0, 2);
  if (places.length === 0) return "";
  const at = places.map((place) => {
    const request = timeline[place];
    return request === undefined ? grouped(place + 1) : `${grouped(place + 1)} after ${elapsed(request.at)}`;
  });
  return `(${places.length === 1 ? "request" : "requests"} ${at.join(" and ")})`;
}

function tasksSection({ tasks }: ClientResults): SectionBlock {
  return {
    kind: "section",
    id: "tasks",
    title: "Tasks",
    count: tasks.length,
    blocks: [
      {
        kind: "table",
        caption: "Tasks, and how much of each was requested",
        columns: ["task", "requested", { head: "what to do", only: ["html", "markdown"] }],
        rows: tasks.map((task) => ({
          cells: [
            { code: task.do },
            task.done === 0
              ? { tone: "unsure", label: "not attempted" }
              : { own: `${grouped(task.done)} of ${grouped(task.of)}` },
            task.sentence,
          ],
        })),
      },
    ],
  };
}

function timeSection(results: ClientResults): SectionBlock {
  return {
    kind: "section",
    id: "time",
    title: "Time line",
    blocks: results.timeline.length === 0 ? [] : [clientTimeline(results)],
  };
}

function playedSection({ situations, timeline }: ClientResults): SectionBlock {
  const rows = situations.flatMap(({ situation, at }) => {
    const request = timeline[at];
    return request === undefined || !isPlayed(situation) ? [] : [{ situation, request, at }];
  });
  return {
    kind: "section",
    id: "played",
    title: "What the service played",
    only: ["html"],
    count: rows.length,
    blocks: [
      {
        kind: "fold",
        title: { own: counted(rows.length, "situation") },
        blocks: [
          {
            kind: "table",
            caption: "Situations in the order of the seed, with the request that met each",
            columns: ["after", "request", "situation", "sent"],
            rows: rows.map(({ situation, request, at }) => ({
              cells: [
                { own: elapsed(request.at) },
                { own: grouped(at + 1) },
                situationWords[situation],
                { code: requestText(request) },
              ],
            })),
          },
        ],
      },
    ],
  };
}

function requirementsSection({ sections, results, failed, counts }: ClientReport): SectionBlock {
  const rows = {
    kind: "rows",
    rows: sections.flatMap(({ requirements }) => requirements.map(requirementRow)),
  } as const;
  return {
    kind: "section",
    id: "requirements",
    title: "Requirements on clients",
    only: ["html"],
    count: results.requirements.length,
    // What failed stands above: the rest is one line then.
    blocks: [failed.length === 0 ? rows : { kind: "fold", title: { own: counts }, blocks: [rows] }],
  };
}

/** What no request can show, so that nobody takes it for judged. */
function excludedSection(): SectionBlock {
  const excluded = allRequirements.flatMap(({ id, actor, statement, treatment }) =>
    actor === "client" && treatment.kind === "excluded" ? [{ id, statement, why: treatment.why }] : [],
  );
  return {
    kind: "section",
    id: "excluded",
    title: "What no request shows",
    only: ["html"],
    blocks: [
      {
        kind: "list",
        items: excluded.map(
          ({ id, statement, why }): Text => [statement, { own: " " }, why, { own: " " }, { code: id }],
        ),
      },
    ],
  };
}

function outputSection({ client: { output, ended } }: ClientResults): SectionBlock {
  const lines = ended === "exited" || output === undefined ? [] : output.split("\n");
  return {
    kind: "section",
    id: "output",
    title: "The last lines that the client printed",
    only: ["html", "markdown"],
    blocks: [
      {
        kind: "list",
        items: lines.filter((text) => text.trim() !== "").map((text) => ({ code: text })),
        most: { shown: 20, one: "line" },
      },
    ],
  };
}
