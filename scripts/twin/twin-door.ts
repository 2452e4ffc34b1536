import { endpointLabel } from "../../schemas/api.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { walkName } from "../../schemas/scenarios.ts";
import {
  capitalized,
  change,
  counted,
  duration,
  grouped,
  listed,
  milliseconds,
  percent,
} from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import { door } from "../cli/commands/command.ts";
import type { CauseOfPart } from "../core/added.ts";
import { emptySuite, type Item, type Suite, type Table, verdictTones } from "../report/model.ts";
import { runCommand, sameCommand } from "../report/subjects/run/commands.ts";
import {
  type BySide,
  notes,
  type TwinDifference,
  type TwinLatency,
  type TwinResult,
  unusualKinds,
} from "./twin-result.ts";

type TwinOutcome = TwinResult["outcome"];
type TwinRun = Pick<Results, "parts" | "target">;
/** Each deployment by its own name, as it stands in sentences. */
type Names = BySide<string>;

const verdicts = {
  different: "fail",
  slower: "fail",
  inconclusive: "inconclusive",
  faster: "pass",
  same: "pass",
} as const satisfies Record<TwinOutcome, Item["verdict"]>;

/** The part of the run, with the names of the deployments; with their addresses, if both have the same name. */
function twinOf({ parts: { twin } = {}, target }: TwinRun) {
  if (twin === undefined) return undefined;
  const key = twin.old.name === target.name ? "baseUrl" : "name";
  return { ...twin, names: { old: code(twin.old[key]), new: code(target[key]) } };
}

/** The target beside another deployment: each difference first, then the latency of each kind of request. */
export function twinSuites(run: TwinRun): Suite[] {
  const twin = twinOf(run);
  if (twin === undefined) return [];
  const { old, names, outcome, responses, latency, seconds } = twin;
  const address = code(old.baseUrl);
  const at = names.old === address ? "" : ` at ${address}`;
  const labels: Readonly<Record<string, string>> = notes;
  return [
    {
      ...emptySuite,
      id: "twin",
      title: "Old against new",
      tone: verdictTones[verdicts[outcome]],
      summary: `${names.new} compared with ${names.old}${at} in ${duration(seconds)}: ${counted(responses.requests, "distinct request")}.`,
      items: [...responseItems(responses, names), ...latency.map(latencyItem)],
      tables: latency.length === 0 ? [] : [latencyTable(latency, names)],
      lines: responses.notes.map((one) => `${labels[one.change]}: ${textOf(one, names)}`),
      seconds,
    },
  ];
}

function itemOf(id: string, title: string, outcome: TwinOutcome, message?: string): Item {
  const verdict = verdicts[outcome];
  const said = message === undefined ? [] : [{ message, where: [], places: [] }];
  return { id: `twin.${id}`, title, verdict, tone: verdictTones[verdict], said, evidence: [], commands: [] };
}

/** Each difference with its two exchanges. */
function responseItems({ outcome, differences }: TwinResult["responses"], names: Names): Item[] {
  const unfinished = outcome === "inconclusive" ? "Not all requests were compared." : undefined;
  if (outcome !== "different") return [itemOf("responses", "Responses", outcome, unfinished)];
  return differences.map((difference): Item => {
    const { request, change: kind, path, old, new: now, evidence } = difference;
    const place = path.replace("/", "");
    const both = `${old}-${now}`.replaceAll(" ", "-");
    const what = path === "status" ? `${path}/${both}` : [kind, place].filter(Boolean).join("/");
    const lines = evidence.map(({ response }) => response.excerpts?.[0]?.lines ?? []);
    const places = [
      { heading: names.old, exchange: 0, lines: lines[0] ?? [], isReference: true },
      { heading: names.new, exchange: 1, lines: lines[1] ?? [] },
    ];
    return {
      ...itemOf(`${request}.${what}`, `${requestName(request)}: the same ${place || "response"}`, outcome),
      said: [{ message: textOf(difference, names), where: [], places: places.slice(0, evidence.length) }],
      evidence,
    };
  });
}

function latencyItem(one: TwinLatency): Item {
  const { request, outcome } = one;
  const text = `${capitalized(latencyText(one))}: ${intervalText(one)}.`;
  const message = verdicts[outcome] === "pass" ? undefined : text;
  return itemOf(`latency.${request}`, `Latency: ${requestName(request)}`, outcome, message);
}

function latencyTable(latency: readonly TwinLatency[], names: Names): Table {
  return {
    title: "Median latency by kind of request",
    head: ["request", names.old, names.new, "difference of pairs", "verdict"],
    figures: [1, 2],
    rows: latency.map((one) => {
      const medians = [milliseconds(one.old), milliseconds(one.new)];
      const cells = [requestName(one.request), ...medians, intervalText(one), latencyText(one)];
      return { tone: verdictTones[verdicts[one.outcome]], cells };
    }),
  };
}

/** The kinds of request whose latency has an outcome. */
function kindsOf(wanted: TwinLatency["outcome"], twin?: Pick<TwinResult, "latency">): string[] {
  const all = twin?.latency.filter(({ outcome }) => outcome === wanted) ?? [];
  return all.map(({ request }) => requestName(request));
}

/** What decides a run in which two deployments were compared, and what is said of it. */
const twinCauses = {
  "responses-differ": {
    verdict: "violations",
    exitCode: 1,
    label: "different",
    after: "load-failed",
    applies: ({ parts }) => parts?.twin?.outcome === "different",
    counted: ({ results }) => {
      const twin = twinOf(results);
      if (twin?.outcome !== "different") return undefined;
      const { responses, names } = twin;
      return `${counted(responses.differences.length, "difference")} between ${names.old} and ${names.new}`;
    },
    next: (_parts, run) => runCommand(`explain ${run}`),
  },
  "latency-slower": {
    verdict: "violations",
    exitCode: 1,
    label: "slower",
    after: "load-failed",
    applies: ({ parts }) => kindsOf("slower", parts?.twin).length > 0,
    counted: ({ results }) => {
      const twin = twinOf(results);
      const { length } = kindsOf("slower", twin);
      if (twin === undefined || length === 0) return undefined;
      return `${counted(length, "kind of request is", "kinds of request are")} slower at ${twin.names.new} than at ${twin.names.old}`;
    },
    next: ({ results }) => sameCommand(results),
  },
  "twin-not-judged": {
    verdict: "incomplete",
    exitCode: 4,
    label: verdictLabels.inconclusive,
    after: "not-judged",
    applies: ({ parts }) => parts?.twin?.outcome === "inconclusive",
    why: ({ results: { parts: { twin } = {} } }) =>
      twin?.responses.outcome === "inconclusive"
        ? "Nothing that counts differs so far, but the time ended before all responses were compared."
        : `The responses differ in nothing that counts. Latency was not judged in ${duration(twin?.seconds ?? 0)}: ${listed(kindsOf("inconclusive", twin))}.`,
    // Three times as long.
    next: ({ results }) => {
      const again = sameCommand(results).replace(/ --duration[ =]\S+/g, "");
      return `${again} --duration ${Math.ceil(3 * (results.parts?.twin?.longestSeconds ?? 0))}s`;
    },
  },
} satisfies Record<string, CauseOfPart>;

type TwinCauses = Record<keyof typeof twinCauses, true>;
declare module "../../schemas/contracts/verdicts.ts" {
  interface AddedCauses extends TwinCauses {}
}

/** How much was compared, and how much slower a kind may be at most. */
function twinPassed(run: TwinRun): string | undefined {
  const twin = twinOf(run);
  if (twin === undefined) return undefined;
  const { latency, responses, names } = twin;
  const same = `the responses to ${counted(responses.requests, "request")} differ at ${names.old} and ${names.new} in nothing that counts`;
  if (latency.length === 0) return same;
  const highest = Math.max(0, ...latency.map(({ high = 0 }) => high));
  return `${same}, and no timed kind of request is slower by more than ${percent(highest)}`;
}

const otherKinds: Readonly<Record<string, string>> = {
  [walkName]: "Walk through a category",
  ...unusualKinds,
};

/** Name of a kind of request that both deployments were asked. */
function requestName(kind: string): string {
  return otherKinds[kind] ?? endpointLabel(kind);
}

/** What is different, and in the responses to which requests. */
function textOf({ change: kind, path, old, new: now, requests }: TwinDifference, names: Names): string {
  const where = requests.map(
    ({ request, count, total }) =>
      `${requestName(request)} (${grouped(count)} of ${counted(total, "request")})`,
  );
  const place =
    path === "" ? "The body" : path.startsWith("/") ? code(path) : `The ${path.replace("-", " ")}`;
  const shown = (value: unknown) => (value === undefined ? "missing" : code(JSON.stringify(value)));
  const both = `${shown(old)} at ${names.old}, ${shown(now)} at ${names.new}`;
  // All that show another status show the same ones.
  const isExample = path !== "status" && requests.reduce((sum, { count }) => sum + count, 0) > 1;
  const what = isExample ? `${place} differs (example: ${both})` : `${place} is ${both}`;
  return `${what}${kind === "varies" ? " in some responses" : ""}: ${listed(where)}.`;
}

/** `+12 % (+8.1 % to +15 %)`, in one unit. */
export function intervalText({ change: middle, low, high }: TwinLatency): string {
  if (middle === undefined || low === undefined || high === undefined) return "not known";
  return `${change(middle, high)} (${change(low, high)} to ${change(high)})`;
}

/** The verdict of a kind of request. */
export function latencyText({ outcome, high }: TwinLatency): string {
  if (outcome === "same") return "no difference that counts was found";
  if (outcome !== "inconclusive") return outcome;
  return high === undefined ? "not judged (too few pairs)" : "not judged (the interval is too wide)";
}

/** `twin`: the target beside another deployment, which a run of `twin` judges alone. */
export const twin = door(
  {
    name: "twin",
    // Any other cause has a label.
    label: ({ command, cause, parts }: Results) =>
      command === "twin" && cause === "none" ? parts?.twin?.outcome : undefined,
    suites: twinSuites,
    causes: twinCauses,
    passed: twinPassed,
    names: `different differences longestSeconds responses unstable ${Object.keys(unusualKinds).join(" ")}`,
  },
  {
    commands: {
      twin: {
        summary: "send the same requests to two deployments in turn, and compare responses and latency",
        load: async () => (await import("./twin-command.ts")).twin,
      },
    },
  },
);
