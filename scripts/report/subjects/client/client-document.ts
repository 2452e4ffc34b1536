import type { ClientRequest, ClientResults } from "../../../../clients/contract/client-results.ts";
import { situationWords } from "../../../../clients/contract/client-words.ts";
import { requirements as allRequirements } from "../../../../conformance/requirements/all.ts";
import { endpointLabel } from "../../../../schemas/api.ts";
import { between, clip, counted, figure, grouped } from "../../../../schemas/words/format.ts";
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
      requestsSection(results),
      requirementsSection(report),
      excludedSection(),
      outputSection(results),
      ending({ exitCode: results.exitCode, why, says: steps.flatMap(stepBlocks) }, facts),
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

/** The requests in their order: what the service played, how long the client waited after a 429, and what a request shows. */
function requestsSection(results: ClientResults): SectionBlock {
  const { timeline, situations, requests } = results;
  const shows = requirementsByRequest(results);
  const played = Map.groupBy(situations, ({ at }) => at);
  return {
    kind: "section",
    id: "requests",
    title: "Requests",
    only: ["html"],
    count: requests.total,
    blocks: [
      {
        kind: "fold",
        title: { own: counted(timeline.length, "request") },
        blocks: [
          {
            kind: "table",
            caption: "Requests in the order in which they arrived",
            columns: [{ head: "request", figure: true }, "after", "sent", "waited", "played", "shows"],
            rows: timeline.map((request, at) => ({
              cells: [
                { own: grouped(at + 1) },
                { own: elapsed(request.at) },
                { code: requestText(request) },
                { own: waitText(request, timeline[at + 1]) },
                { lines: (played.get(at) ?? []).map(({ situation }) => situationWords[situation]) },
                {
                  lines: (shows.get(at) ?? []).map((id): Text => ({ link: { code: id }, to: `#${id}` })),
                },
              ],
            })),
          },
        ],
      },
    ],
  };
}

/** Requirements that failed or have a warning, by the requests that show it. */
function requirementsByRequest({ requirements }: ClientResults): ReadonlyMap<number, string[]> {
  const shown = requirements
    .filter(({ verdict }) => verdict === "fail" || verdict === "warn")
    .flatMap(({ id, checks }) => {
      const places = checks.flatMap(({ findings }) => findings.flatMap(requestsOf));
      return [...new Set(places)].map((place) => ({ id, place }));
    });
  const byPlace = Map.groupBy(shown, ({ place }) => place);
  return new Map([...byPlace].map(([place, all]) => [place, all.map(({ id }) => id)]));
}

/** `0.5 s of 2 s`: the wait after a 429, and the one that it requires. */
function waitText({ end, retryAfter }: ClientRequest, next: ClientRequest | undefined): string {
  if (retryAfter === undefined || next === undefined) return "";
  return `${elapsed(Math.max(0, next.at - end))} of ${retryAfter} s`;
}

/** A time after the start: `0.42 s`, `1 min 5 s`. */
function elapsed(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${figure(Number(seconds.toFixed(seconds < 10 ? 2 : 1)))} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** `Lookup by id: GET /v1/products/acme/1: 429, Retry-After: 2`. */
function requestText(request: ClientRequest): string {
  const { endpoint, method, target, status, retryAfter, items, products } = request;
  const aside = [
    retryAfter === undefined ? "" : `, Retry-After: ${retryAfter}`,
    items === undefined ? "" : `, ${counted(items, "item")}`,
    products === undefined ? "" : `, ${counted(products, "product")}`,
  ];
  return `${endpointLabel(endpoint)}: ${method} ${target}: ${status}${aside.join("")}`;
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
