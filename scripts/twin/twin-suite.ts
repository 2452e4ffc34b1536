import type { ResultParts, Results } from "../../schemas/contracts/results.ts";
import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import {
  capitalized,
  counted,
  duration,
  grouped,
  listed,
  milliseconds,
  percent,
} from "../../schemas/words/format.ts";
import type { CauseOfPart } from "../core/added.ts";
import { emptySuite, type Item, type Suite, type Table } from "../report/model.ts";
import { runCommand, sameCommand } from "../report/subjects/run/commands.ts";
import { verdictTones } from "../report/tones.ts";
import type { TwinLatency, TwinResult } from "./twin-result.ts";
import {
  type DeploymentNames,
  deploymentNames,
  twinDifferenceTexts,
  twinFailuresText,
  twinIntervalText,
  twinRequestName,
  twinVerdictText,
} from "./twin-words.ts";

type Responses = TwinResult["responses"];
type TwinOutcome = TwinResult["outcome"];

const twinVerdicts = {
  different: "fail",
  slower: "fail",
  inconclusive: "inconclusive",
  faster: "pass",
  same: "pass",
} as const satisfies Record<TwinOutcome, Item["verdict"]>;

type TwinRun = Pick<Results, "parts" | "target">;

/** A difference that no response showed may still occur in fewer than 3 of n requests, with 95 % confidence. */
const boundOfNone = 3;

/** The target beside another deployment: each difference first, then the latency of each kind of request. */
export function twinSuites({ parts: { twin } = {}, target }: TwinRun): Suite[] {
  if (twin === undefined) return [];
  const { old, outcome, responses, latency, requests, seconds, seed } = twin;
  const names = deploymentNames(old, target);
  const address = `\`${old.baseUrl}\``;
  const at = names.old === address ? "" : ` at ${address}`;
  const sent = `${counted(requests.old, "request")} to ${names.old} and ${grouped(requests.new)} to ${names.new} in ${duration(seconds)}, seed ${seed}`;
  const unseen = percent(boundOfNone / Math.max(boundOfNone, responses.requests));
  const bound =
    responses.outcome === "same"
      ? `: no difference (a difference in fewer than ${unseen} of the requests could still go unseen)`
      : "";
  return [
    {
      ...emptySuite,
      id: "twin",
      title: "Old against new",
      tone: verdictTones[twinVerdicts[outcome]],
      summary: `${names.new} compared with ${names.old}${at}: ${sent}. ${counted(responses.requests, "different request")} compared${bound}.`,
      items: [
        ...responseItems(responses, names),
        failuresItem(responses.failures, names),
        ...latency.map(latencyItem),
      ],
      tables: latency.length === 0 ? [] : [latencyTable(latency, names)],
      lines: besides(responses, names),
      seconds,
    },
  ];
}

/** What was seen of the responses and decides nothing. */
function besides(
  { additions, moved, ignored, passing, failures }: Responses,
  names: DeploymentNames,
): string[] {
  const movedTexts = moved.map(({ path, count }) => `\`${path}\` in ${counted(count, "response")}`);
  const ignoredTexts = ignored.map((path) => `\`${path}\``);
  const hasFailures = failures.outcome === "same" && failures.old.count + failures.new.count > 0;
  return [
    ...twinDifferenceTexts(additions, names).map(({ text }) => `New field, no failure: ${text}`),
    moved.length > 0 &&
      `Data of another time, no failure: ${movedTexts.join(", ")}. The products have another \`last_updated\`.`,
    ignored.length > 0 &&
      `Ignored, because two responses of ${names.old} differ there: ${ignoredTexts.join(", ")}.`,
    passing > 0 &&
      `${counted(passing, "difference was", "differences were")} gone when the request was sent to both again: no failure.`,
    hasFailures && twinFailuresText(failures, names),
  ].filter((line) => line !== false);
}

function itemOf(id: string, title: string, outcome: TwinOutcome, message?: string): Item {
  const verdict = twinVerdicts[outcome];
  return {
    id: `twin.${id}`,
    title,
    verdict,
    tone: verdictTones[verdict],
    said: message === undefined ? [] : [{ message, where: [], places: [] }],
    evidence: [],
    commands: [],
  };
}

/** Each difference with its two exchanges. */
function responseItems({ outcome, differences }: Responses, names: DeploymentNames): Item[] {
  if (outcome === "inconclusive")
    return [itemOf("responses", "Responses", outcome, "Not all requests could be compared in time.")];
  if (outcome === "same") return [itemOf("responses", "Responses", outcome)];
  return twinDifferenceTexts(differences, names).map(({ text, example }): Item => {
    const { request, change: kind, path, evidence } = example;
    const title = `${twinRequestName(request)}: ${kind} ${path}`.trimEnd();
    const places = [
      { heading: names.old, exchange: 0, lines: [], isReference: true },
      { heading: names.new, exchange: 1, lines: [] },
    ];
    return {
      ...itemOf(`${request}.${kind}${path}`, title, "different"),
      said: [{ message: text, where: [], places: places.slice(0, evidence.length) }],
      evidence,
    };
  });
}

function failuresItem(failures: Responses["failures"], names: DeploymentNames): Item {
  const { outcome } = failures;
  const message = outcome === "different" ? twinFailuresText(failures, names) : undefined;
  return itemOf("failures", "Failed requests", outcome, message);
}

function latencyItem(one: TwinLatency): Item {
  const { request, outcome } = one;
  const text = `${capitalized(twinVerdictText(one).replace("not judged: ", ""))}: ${twinIntervalText(one)}.`;
  const message = outcome === "slower" || outcome === "inconclusive" ? text : undefined;
  return itemOf(`latency.${request}`, `Latency: ${twinRequestName(request)}`, outcome, message);
}

function latencyTable(latency: readonly TwinLatency[], names: DeploymentNames): Table {
  const median = (value: number | undefined) => (value === undefined ? "" : milliseconds(value));
  return {
    title: "Median latency by kind of request",
    head: ["request", names.old, names.new, "difference", "verdict"],
    figures: [1, 2],
    rows: latency.map((one) => ({
      tone: verdictTones[twinVerdicts[one.outcome]],
      cells: [
        twinRequestName(one.request),
        median(one.old),
        median(one.new),
        twinIntervalText(one),
        twinVerdictText(one),
      ],
    })),
  };
}

/** How much longer a comparison takes after one that was not judged. */
const longer = 3;

/** What decides a run in which two deployments were compared, and what is said of it. */
export const twinCauses = {
  "responses-differ": {
    verdict: "violations",
    exitCode: 1,
    label: "different",
    after: "requests-failed",
    applies: ({ twin }) => twin?.outcome === "different",
    counted: ({ results: { parts: { twin } = {}, target } }) => {
      if (twin === undefined) return undefined;
      const { differences, failures } = twin.responses;
      const names = deploymentNames(twin.old, target);
      const count = twinDifferenceTexts(differences, names).length + Number(failures.outcome === "different");
      return count === 0
        ? undefined
        : `${counted(count, "difference")} between ${names.old} and ${names.new}`;
    },
    next: (_parts, run) => runCommand(`explain ${run}`),
  },
  "latency-slower": {
    verdict: "violations",
    exitCode: 1,
    label: "slower",
    after: "requests-failed",
    applies: (parts) => kindsOf("slower", parts).length > 0,
    counted: ({ results: { parts: { twin } = {}, target } }) => {
      const { length } = kindsOf("slower", { twin });
      if (twin === undefined || length === 0) return undefined;
      const names = deploymentNames(twin.old, target);
      return `${counted(length, "kind of request is", "kinds of request are")} slower at ${names.new} than at ${names.old}`;
    },
    next: ({ results }) => sameCommand(results),
  },
  "twin-not-judged": {
    verdict: "incomplete",
    exitCode: 4,
    label: verdictLabels.inconclusive,
    after: "not-judged",
    applies: ({ twin }) => twin?.outcome === "inconclusive",
    why: ({ results: { parts: { twin } = {} } }) =>
      twin?.responses.outcome === "inconclusive"
        ? "Nothing differs so far, but the time ended before all responses were compared."
        : `The responses are the same. Latency was not judged in ${duration(twin?.seconds ?? 0)}: ${listed(kindsOf("inconclusive", { twin }))}.`,
    next: ({ results }) => {
      const { twin } = results.parts ?? {};
      if (twin === undefined) return undefined;
      const again = sameCommand(results).replace(/ --duration[ =]\S+/, "");
      return `${again} --duration ${Math.ceil(longer * twin.longestSeconds)}s`;
    },
  },
} satisfies Record<string, CauseOfPart>;

type TwinCauses = Record<keyof typeof twinCauses, true>;
declare module "../../schemas/contracts/verdicts.ts" {
  interface AddedCauses extends TwinCauses {}
}

function kindsOf(outcome: TwinLatency["outcome"], { twin }: ResultParts): string[] {
  const all = twin?.latency.filter((one) => one.outcome === outcome) ?? [];
  return all.map(({ request }) => twinRequestName(request));
}

/** What nothing different means: how much was compared, what is faster, and how much slower a kind may be at most. */
export function twinPassed({ parts: { twin } = {}, target }: TwinRun): string | undefined {
  if (twin === undefined) return undefined;
  const { latency, responses } = twin;
  const names = deploymentNames(twin.old, target);
  const same = `the responses to ${counted(responses.requests, "request")} are the same at ${names.old} and ${names.new}${responses.additions.length === 0 ? "" : ", new fields apart"}`;
  if (latency.length === 0) return same;
  const faster = kindsOf("faster", { twin });
  const best = faster.length === 0 ? "" : `, ${names.new} is faster (${listed(faster)})`;
  const highest = Math.max(0, ...latency.map(({ high = 0 }) => high));
  return `${same}${best}, and no kind of request is slower by more than ${percent(highest)}`;
}
