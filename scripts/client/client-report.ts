import type { ClientRequest, ClientResults } from "../../clients/contract/client-results.ts";
import { type ClientEnd, clientEndWords, clientWords, gap } from "../../clients/contract/client-words.ts";
import { situations } from "../../clients/contract/situations.ts";
import { endpointLabel } from "../../schemas/api.ts";
import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import { type CauseMeaning, causes } from "../../schemas/contracts/verdicts.ts";
import { clip, counted, grouped, listed } from "../../schemas/words/format.ts";
import { type WordsTable, wordsOf } from "../../schemas/words/index.ts";
import { code } from "../../schemas/words/values.ts";
import { causeTone, emptySuite, type Fact, type Report, type Suite, type Table } from "../report/model.ts";
import { runCommand } from "../report/subjects/run/commands.ts";
import { howOften } from "../report/subjects/run/places.ts";
import {
  notJudgedCauses,
  requirementCounts,
  requirementItems,
  type SaidRequirement,
} from "../report/subjects/run/requirements.ts";
import { aboutOf, isFilled, notJudgedSuite, sectionSuites } from "../report/subjects/run/run.ts";

const words = clientWords as WordsTable;

/** Results before it is known what decides them. */
type Undecided = Omit<ClientResults, "cause" | "exitCode" | "verdict">;

interface ClientCause extends CauseMeaning {
  readonly applies: (results: Undecided) => boolean;
  readonly why: (results: Undecided) => string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Whether an end is an error of the client. */
export function isFailed({ ended }: { readonly ended: ClientEnd }): boolean {
  return !["exited", "time-over", "interrupted"].includes(ended);
}

function endText({ client: { ended, status = "" } }: Undecided): string {
  return clientEndWords[ended](status);
}

const openTasks = ({ tasks }: Undecided) => tasks.filter(({ done, of }) => done < of);

/** Every cause that can decide the run of a client. If several apply, the first one decides. */
export const clientCauses: Readonly<Record<ClientResults["cause"], ClientCause>> = {
  "requirement-failed": {
    ...causes["requirement-failed"],
    applies: ({ summary }) => summary.fail > 0,
    why: ({ summary }) => `${counted(summary.fail, "requirement")} on clients failed.`,
  },
  problem: {
    ...causes.problem,
    applies: ({ problem }) => problem !== undefined,
    why: ({ problem }) => `${problem?.what}: ${problem?.where}. ${problem?.fix}`,
  },
  "client-failed": {
    ...causes.problem,
    applies: ({ client }) => isFailed(client),
    why: endText,
  },
  interrupted: {
    ...causes.interrupted,
    applies: ({ client }) => client.ended === "interrupted",
    why: endText,
  },
  "nothing-judged": {
    ...causes["nothing-judged"],
    applies: ({ requests }) => requests.total === 0,
    why: () => "The client sent no request.",
    advice:
      "Let the client read SHELFCHECK_BASE_URL and SHELFCHECK_API_KEY, and do the tasks of SHELFCHECK_TASK.",
  },
  "tasks-not-done": {
    ...causes["not-judged"],
    applies: (results) => openTasks(results).length > 0,
    why: (results) => {
      const open = openTasks(results).map((task) => code(task.do));
      return `Nothing failed, but the client did not complete ${counted(open.length, "task")}: ${listed(open)}.`;
    },
    advice: "Do the tasks below completely, or select with --task those that the client can do.",
  },
  "not-judged": {
    ...causes["not-judged"],
    applies: ({ requirements }) =>
      requirements.some(({ verdict, level }) => verdict === "inconclusive" && level === "must"),
    why: ({ summary }) =>
      `Nothing failed, but ${counted(summary.inconclusive, "requirement was", "requirements were")} not judged.`,
  },
  partial: {
    ...causes.partial,
    applies: ({ scope }) => scope !== undefined,
    why: ({ scope }) =>
      `Nothing failed. The selected tasks judge ${scope?.requirements} of ${scope?.of} requirements on clients.`,
  },
  none: {
    ...causes.none,
    applies: () => true,
    why: ({ summary }) =>
      summary.warn === 0
        ? "Nothing failed, and each MUST on clients was judged."
        : `Nothing failed; ${counted(summary.warn, "requirement has", "requirements have")} a warning.`,
  },
};

export function causeOf(results: Undecided): ClientResults["cause"] {
  const all = Object.keys(clientCauses) as ClientResults["cause"][];
  return all.find((cause) => clientCauses[cause].applies(results)) ?? "none";
}

/** The run of a client: verdict and failures first, then what it did and what was played. */
export function clientReport(results: ClientResults, run: string): Report {
  const { cause, requirements, client, exitCode, startedAt, finishedAt, service } = results;
  const { why, label } = clientCauses[cause];
  const { commandLine, workers, status = "" } = client;
  const sent = counted(results.requests.total, "request");
  const failed = requirements.find(({ verdict }) => verdict === "fail");
  const ended: Fact[] = status === "" ? [] : [["The client ended with", status]];
  return {
    headline: {
      tone: causeTone(clientCauses[cause]),
      label,
      of: `client ${commandLine === undefined ? "of another terminal" : code(clip(commandLine, 200))} on the built-in reference service`,
      why: why(results),
      counts: [
        requirementCounts(requirements),
        workers === undefined ? sent : `${sent} of ${counted(workers, "process", "processes")}`,
      ],
      notes: notesOf(results),
      next: failed && runCommand(`explain ${run} ${failed.id}`),
      exitCode,
      startedAt,
      finishedAt,
      files: ["results.json", "summary.md", "junit.xml", "task.json"].map((name) => ({ name, path: name })),
    },
    suites: suitesOf(results, run).filter(isFilled),
    about: [...aboutOf(results), ...ended, ["Seed", String(service.seed)]],
  };
}

/** What did not decide, and what to do. */
function notesOf(results: ClientResults): string[] {
  const { cause, client, requests, timeline } = results;
  const isLeftOut = timeline.length < requests.total;
  const notes = [
    !["client-failed", "interrupted"].includes(cause) && client.ended !== "exited" && endText(results),
    isLeftOut && `The first ${grouped(timeline.length)} of ${counted(requests.total, "request")} are listed.`,
    clientCauses[cause].advice,
  ];
  return notes.filter((note) => typeof note === "string");
}

function suitesOf(results: ClientResults, run: string): Suite[] {
  const { requirements, requests, tasks } = results;
  const having = (wanted: SaidRequirement["verdict"]) =>
    requirements.filter(({ verdict }) => verdict === wanted);
  const items = (all: readonly SaidRequirement[]) =>
    requirementItems(
      all,
      ({ id }) => [{ label: "Ticket", command: runCommand(`explain ${run} ${id} --markdown`) }],
      (finding) =>
        [wordsOf(finding, words).howOften && howOften(finding)].filter((text) => text !== undefined),
    );
  const notJudged = having("inconclusive");
  // Without any request the verdict says it.
  const causes = requests.total === 0 ? [] : notJudgedCauses(notJudged, words);
  const tone = tasks.some(({ done, of }) => done < of) ? "unsure" : "good";
  return [
    { ...emptySuite, id: "failed", title: "Failed", tone: "bad", items: items(having("fail")) },
    { ...notJudgedSuite(causes), items: items(notJudged) },
    { ...emptySuite, id: "warnings", title: "Warnings", tone: "notice", items: items(having("warn")) },
    { ...emptySuite, id: "tasks", title: "Tasks", tone, tables: [taskTable(results)] },
    ...sectionSuites(requirements, items),
    { ...emptySuite, id: "requests", title: "Requests", tone: "plain", tables: [requestTable(results)] },
  ];
}

/** Places in the time line of the requests that show a finding. */
function requestsOf({ details }: SaidFinding): readonly number[] {
  return details !== undefined && "requests" in details ? (details.requests as number[]) : [];
}

function taskTable({ tasks }: ClientResults): Table {
  return {
    title: "Tasks, and how much of each was done; what got only 400 or 429 is not",
    head: ["task", "done", "what to do"],
    rows: tasks.map((task) => ({
      tone: task.done < task.of ? "unsure" : undefined,
      cells: [code(task.do), doneText(task), task.sentence],
    })),
  };
}

function doneText({ do: name, done, of, missing }: ClientResults["tasks"][number]): string {
  if (name === "walk" && done < of) return `${counted(done, "page")}, not to the end`;
  if (done === 0) return "nothing";
  const names = missing.map((one) => code(one)).join(", ");
  const more = of - done - missing.length;
  const open = `; not done: ${names}${more > 0 ? ` and ${grouped(more)} more` : ""}`;
  return of === 1 ? "yes" : `${grouped(done)} of ${grouped(of)}${done < of ? open : ""}`;
}

/** In their order: what the service played, how long the client waited after a 429, what a request shows. */
function requestTable({ timeline, requirements }: ClientResults): Table {
  const shown = requirements
    .filter(({ verdict }) => verdict === "fail" || verdict === "warn")
    .map(({ id, checks }) => ({
      id: code(id),
      places: checks.flatMap(({ findings }) => findings.flatMap(requestsOf)),
    }));
  return {
    title: "Requests in the order in which they arrived",
    head: ["request", "after", "sent", "waited", "played", "shows"],
    figures: [0],
    rows: timeline.map((request, at) => {
      const shows = shown.filter(({ places }) => places.includes(at));
      return {
        tone: shows.length > 0 ? "bad" : undefined,
        cells: [
          grouped(at + 1),
          gap(request.at),
          code(requestText(request)),
          waitText(request, timeline[at + 1]),
          (request.situations ?? []).map((id) => situations[id].words).join("; "),
          shows.map(({ id }) => id).join(", "),
        ],
      };
    }),
  };
}

/** `496 ms of 2 s`: the wait after a 429, and the one that it requires. */
function waitText({ end, retryAfter }: ClientRequest, next: ClientRequest | undefined): string {
  if (retryAfter === undefined || next === undefined) return "";
  return `${gap(Math.max(0, next.at - end))} of ${retryAfter} s`;
}

/** `Lookup by id: GET /v1/products/acme/1: 429, Retry-After: 2`. */
function requestText({ endpoint, method, target, status, retryAfter }: ClientRequest): string {
  const sent = `${endpointLabel(endpoint)}: ${method} ${target}: ${status}`;
  return retryAfter === undefined ? sent : `${sent}, Retry-After: ${retryAfter}`;
}
