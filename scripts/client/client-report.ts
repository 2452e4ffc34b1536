import { clientCauses } from "../../clients/contract/client-causes.ts";
import type { ClientRequest, ClientResults } from "../../clients/contract/client-results.ts";
import { clientEndWords, situationWords } from "../../clients/contract/client-words.ts";
import { requirements as allRequirements } from "../../conformance/requirements/all.ts";
import { endpointLabel } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { clip, counted, figure, grouped, listed } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import type { Fact, Report, Suite, Table } from "../report/model.ts";
import { runCommand } from "../report/subjects/run/commands.ts";
import { notJudgedCauses } from "../report/subjects/run/not-judged.ts";
import {
  requirementCounts,
  requirementItems,
  type SaidRequirement,
} from "../report/subjects/run/requirements.ts";
import { emptySuite, isFilled, notJudgedSuite, sectionSuites } from "../report/subjects/run/run.ts";
import { causeTone } from "../report/tones.ts";

/** The run of a client: verdict and failures first, then what it did and what was played. */
export function clientReport(
  results: ClientResults,
  { run = "latest" }: { readonly run?: string } = {},
): Report {
  const { cause, requirements, client, exitCode, startedAt, finishedAt } = results;
  const { why, advice, next } = causeWords[cause];
  const sent = counted(results.requests.total, "request");
  const from = client.workers === undefined ? "" : ` of ${counted(client.workers, "process", "processes")}`;
  return {
    headline: {
      tone: cause === "client-failed" ? "unsure" : causeTone(clientCauses[cause]),
      label: clientCauses[cause].label,
      of: `client ${client.commandLine === undefined ? "of another terminal" : code(clip(client.commandLine, 200))} on the built-in reference service`,
      why: why(results),
      counts: [requirementCounts(requirements), `${sent}${from}`],
      notes: [...besides(results), ...(advice?.(results) ?? [])],
      next: next?.(results, run),
      exitCode,
      startedAt,
      finishedAt,
      files: ["results.json", "summary.md", "junit.xml", "task.json"].map((name) => ({ name, path: name })),
    },
    suites: suitesOf(results, run).filter(isFilled),
    about: aboutOf(results),
  };
}

function suitesOf(results: ClientResults, run: string): Suite[] {
  const { requirements, timeline, requests } = results;
  const having = (wanted: SaidRequirement["verdict"]) =>
    requirements.filter(({ verdict }) => verdict === wanted);
  const items = (all: readonly SaidRequirement[]) =>
    requirementItems(
      all,
      ({ id }) => [{ label: "Ticket", command: runCommand(`explain ${run} ${id} --markdown`) }],
      (finding) => whereOf(requestsOf(finding), timeline),
    );
  const notJudged = having("inconclusive");
  // Without any request the verdict says it.
  const causes = requests.total === 0 ? [] : notJudgedCauses(notJudged);
  return [
    { ...emptySuite, id: "failed", title: "Failed", tone: "bad", items: items(having("fail")) },
    { ...notJudgedSuite(causes), items: items(notJudged) },
    { ...emptySuite, id: "warnings", title: "Warnings", tone: "notice", items: items(having("warn")) },
    {
      ...emptySuite,
      id: "tasks",
      title: "Tasks",
      tone: results.tasks.some(({ done, of }) => done < of) ? "unsure" : "good",
      tables: [taskTable(results)],
    },
    ...sectionSuites(requirements, items),
    { ...emptySuite, id: "requests", title: "Requests", tone: "plain", tables: [requestTable(results)] },
    { ...emptySuite, id: "excluded", title: "What no request shows", tone: "plain", lines: excludedLines() },
    {
      ...emptySuite,
      id: "output",
      title: "The last lines that the client printed",
      tone: "plain",
      lines: outputLines(results),
    },
  ];
}

/** What is said of a run that a cause decided: why, what to do about it, and the command to run next. */
interface ClientCauseWords {
  readonly why: (results: ClientResults) => string;
  readonly advice?: (results: ClientResults) => string[];
  readonly next?: (results: ClientResults, run: string) => string;
}

const causeWords: Readonly<Record<ClientResults["cause"], ClientCauseWords>> = {
  "requirement-failed": {
    why: ({ summary }) => `${counted(summary.fail, "requirement")} on clients failed.`,
    next: ({ requirements }, run) =>
      runCommand(
        `explain ${run} ${requirements.find(({ verdict }) => verdict === "fail")?.id ?? ""}`.trimEnd(),
      ),
  },
  problem: {
    why: ({ problem }) =>
      problem === undefined ? "The run did not finish." : `${problem.what}: ${problem.where}.`,
    advice: ({ problem }) => (problem === undefined ? [] : [problem.fix]),
  },
  "client-failed": {
    why: endText,
    advice: () => ["Look at the last lines that the client printed, and at its last requests."],
  },
  interrupted: { why: () => "The run was interrupted." },
  "nothing-judged": {
    why: ({ notices = [] }) =>
      notices.length === 0
        ? "The client sent no request."
        : "The client sent bytes that are no HTTP request.",
    advice: () => [
      "Let the client read SHELFCHECK_BASE_URL and SHELFCHECK_API_KEY, and do the tasks of SHELFCHECK_TASK.",
    ],
  },
  "tasks-not-done": {
    why: ({ tasks }) => {
      const open = tasks.filter(({ done, of }) => done < of);
      return `Nothing failed, but the client did only a part of ${counted(open.length, "task")}: ${listed(open.map((task) => code(task.do)))}.`;
    },
    advice: () => ["Do the tasks below completely, or select with --task those that the client can do."],
  },
  "not-judged": {
    why: ({ summary }) =>
      `Nothing failed, but ${counted(summary.inconclusive, "requirement was", "requirements were")} not judged.`,
  },
  partial: {
    why: ({ scope }) =>
      `Nothing failed. The selected tasks judge ${scope?.requirements ?? 0} of ${scope?.of ?? 0} requirements on clients.`,
  },
  none: { why: () => "The client does what the specification asks of clients." },
};

function endText({ client: { ended, status } }: ClientResults): string {
  return clientEndWords[ended](status ?? "");
}

const calmEnds: readonly ClientResults["client"]["ended"][] = [
  "exited",
  "time-over",
  "interrupted",
  "not-started",
];

/** What did not decide, and what the service saw besides requests. */
function besides(results: ClientResults): string[] {
  const { cause, client, notices = [], requests, timeline } = results;
  const isCut = !requests.isComplete && requests.total > 0;
  return [
    ...(cause === "client-failed" || calmEnds.includes(client.ended) ? [] : [endText(results)]),
    ...notices.map(({ message, fix }) => (fix === undefined ? message : `${message} ${fix}`)),
    ...(isCut
      ? [`The first ${grouped(timeline.length)} of ${counted(requests.total, "request")} are listed.`]
      : []),
  ];
}

const mostPlaces = 2;
const mostOutput = 20;

/** Places in the time line of the requests that show a finding. */
function requestsOf({ details }: Pick<Finding, "details">): readonly number[] {
  return (details as { readonly requests?: readonly number[] } | undefined)?.requests ?? [];
}

/** `requests 12 after 0.4 s and 13 after 0.5 s`: the table of requests has all of them. */
function whereOf(places: readonly number[], timeline: ClientResults["timeline"]): string[] {
  const shown = places.slice(0, mostPlaces).map((place) => {
    const request = timeline[place];
    return `${grouped(place + 1)}${request === undefined ? "" : ` after ${elapsed(request.at)}`}`;
  });
  return shown.length === 0 ? [] : [`${shown.length === 1 ? "request" : "requests"} ${listed(shown)}`];
}

function taskTable({ tasks }: ClientResults): Table {
  return {
    title: "Tasks, and how much of each was requested",
    head: ["task", "requested", "what to do"],
    rows: tasks.map((task) => ({
      tone: task.done < task.of ? "unsure" : undefined,
      cells: [code(task.do), requestedText(task), task.sentence],
    })),
  };
}

function requestedText({ do: name, done, of, missing = [] }: ClientResults["tasks"][number]): string {
  if (done === 0) return "not attempted";
  if (name === "walk" && done < of) return `${counted(done, "page")}, not to the end`;
  const more = of - done - missing.length;
  const names = missing.map((one) => code(one)).join(", ");
  const not =
    missing.length === 0 ? "" : `; not requested: ${names}${more > 0 ? ` and ${grouped(more)} more` : ""}`;
  return `${grouped(done)} of ${grouped(of)}${not}`;
}

/** The requests in their order: what the service played, how long the client waited after a 429, and what a request shows. */
function requestTable(results: ClientResults): Table {
  const { timeline } = results;
  const shows = requirementsByRequest(results);
  return {
    title: "Requests in the order in which they arrived",
    head: ["request", "after", "sent", "waited", "played", "shows"],
    figures: [0],
    rows: timeline.map((request, at) => ({
      tone: shows.has(at) ? "bad" : undefined,
      cells: [
        grouped(at + 1),
        elapsed(request.at),
        code(requestText(request)),
        waitText(request, timeline[at + 1]),
        (request.situations ?? []).map((id) => situationWords[id]).join("; "),
        (shows.get(at) ?? []).map((id) => code(id)).join(", "),
      ],
    })),
  };
}

/** Requirements that failed or have a warning, by the requests that show it. */
function requirementsByRequest({ requirements }: ClientResults): ReadonlyMap<number, readonly string[]> {
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

/** What no request can show, so that nobody takes it for judged. */
function excludedLines(): string[] {
  return allRequirements.flatMap(({ id, actor, statement, treatment }) =>
    actor === "client" && treatment.kind === "excluded" ? [`${statement} ${treatment.why} (\`${id}\`)`] : [],
  );
}

function outputLines({ client: { output, ended } }: ClientResults): string[] {
  if (ended === "exited" || output === undefined) return [];
  const lines = output.split("\n").filter((text) => text.trim() !== "");
  return lines.slice(-mostOutput).map((text) => code(text));
}

function aboutOf({ service, client, environment, tool }: ClientResults): Fact[] {
  const facts: (readonly [string, string | undefined])[] = [
    ["Command", environment?.commandLine && code(environment.commandLine)],
    ["The client ended with", client.status],
    ["Seed", String(service.seed)],
    [
      "Versions",
      [`${tool.name} ${tool.version}`, environment && `Node ${environment.node}`].filter(Boolean).join(", "),
    ],
    ["Machine", environment?.host],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}
