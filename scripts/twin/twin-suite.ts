import type { Results } from "../../schemas/contracts/results.ts";
import {
  capitalized,
  counted,
  duration,
  grouped,
  listed,
  milliseconds,
  percent,
} from "../../schemas/words/format.ts";
import { breakingText, contractItems, contractNotes } from "../earlier/contract-items.ts";
import type { Item, Suite, Table } from "../report/model.ts";
import type { CauseTable } from "../report/subjects/run/causes.ts";
import { sameCommand } from "../report/subjects/run/commands.ts";
import { type Tone, verdictTones } from "../report/tones.ts";
import type { TwinLatency, TwinResult } from "./twin-result.ts";
import {
  twinDifferenceTexts,
  twinFailuresText,
  twinIntervalText,
  twinLabels,
  twinRequestName,
  twinUndecidedText,
} from "./twin-words.ts";

const twinTones = {
  different: "bad",
  slower: "bad",
  inconclusive: "unsure",
  faster: "good",
  same: "good",
} as const satisfies Record<TwinResult["outcome"], Tone>;

const twinVerdicts = {
  different: "fail",
  slower: "fail",
  inconclusive: "inconclusive",
  faster: "pass",
  same: "pass",
} as const satisfies Record<TwinResult["outcome"], Item["verdict"]>;

/** A difference that no response showed may still occur in fewer than 3 of n requests, with 95 % confidence. */
const boundOfNone = 3;

/** The target beside another deployment: each difference, the failures, the contract, and the latency of each kind of request. */
export function twinSuites({ twin }: Pick<Results, "twin">): Suite[] {
  if (twin === undefined) return [];
  const { old, outcome, responses, latency, contract = [], requests, seconds, seed } = twin;
  const sent = `${counted(requests.old, "request")} to it and ${grouped(requests.new)} to the target in ${duration(seconds)}, seed ${seed}`;
  return [
    {
      id: "twin",
      title: "Old against new",
      tone: twinTones[outcome],
      summary: `${capitalized(twinLabels[outcome])}. Compared with \`${old.name}\` at \`${old.baseUrl}\`: ${sent}. ${comparedText(responses)}`,
      items: [
        ...responseItems(responses),
        failuresItem(responses.failures),
        ...contractItems(contract, { id: "twin.contract" }),
        ...latency.map(latencyItem),
      ],
      tables: latency.length === 0 ? [] : [latencyTable(latency)],
      lines: [
        ...besides(responses),
        `Contract: ${breakingText(contract)}.`,
        ...contractNotes(contract),
        latencyNote(latency),
      ],
      charts: [],
      seconds,
    },
  ];
}

function comparedText({ outcome, requests, pairs }: TwinResult["responses"]): string {
  const compared = `${counted(requests, "different request")} compared, ${counted(pairs, "pair")} of responses`;
  const bound = `a difference in fewer than ${percent(boundOfNone / Math.max(boundOfNone, requests))} of the requests could still go unseen`;
  return outcome === "same" ? `${compared}: no difference (${bound}).` : `${compared}.`;
}

/** What was seen of the responses and decides nothing. */
function besides({ moved, ignored, passing, failures }: TwinResult["responses"]): string[] {
  const hasFailures = failures.outcome === "same" && failures.old.count + failures.new.count > 0;
  return [
    moved.length > 0 &&
      `Data of another time, which decides nothing: ${moved.map(({ path, count }) => `\`${path}\` in ${counted(count, "response")}`).join(", ")}. The products have another \`last_updated\`.`,
    ignored.length > 0 &&
      `Ignored, because two responses of the old deployment differ there: ${ignored.map((path) => `\`${path}\``).join(", ")}.`,
    passing > 0 &&
      `${counted(passing, "difference was", "differences were")} gone when the request was sent to both again, and ${passing === 1 ? "decides" : "decide"} nothing.`,
    hasFailures && twinFailuresText(failures),
  ].filter((line) => line !== false);
}

function itemOf(id: string, title: string, outcome: TwinResult["outcome"], message?: string): Item {
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
function responseItems({ outcome, differences }: TwinResult["responses"]): Item[] {
  if (outcome === "inconclusive")
    return [itemOf("responses", "Responses", outcome, "Not all requests could be compared in time.")];
  if (outcome === "same") return [itemOf("responses", "Responses", outcome)];
  return twinDifferenceTexts(differences).map(({ text, example }): Item => {
    const { request, change, path, evidence } = example;
    const title = `${twinRequestName(request)}: ${change} ${path}`.trimEnd();
    const places = [
      { heading: "Old", exchange: 0, lines: [], isReference: true },
      { heading: "New", exchange: 1, lines: [] },
    ];
    return {
      ...itemOf(`${request}.${change}${path}`, title, "different"),
      said: [{ message: text, where: [], places: places.slice(0, evidence.length) }],
      evidence,
    };
  });
}

function failuresItem(failures: TwinResult["responses"]["failures"]): Item {
  const { outcome } = failures;
  const message = outcome === "different" ? twinFailuresText(failures) : undefined;
  return itemOf("failures", "Failed requests", outcome, message);
}

function latencyItem(one: TwinLatency): Item {
  const { request, outcome } = one;
  const isDecided = outcome === "same" || outcome === "faster";
  const message = `${capitalized(twinLabels[outcome])}: ${measuredText(one)}${undecided(one)}.`;
  return itemOf(
    `latency.${request}`,
    `Latency: ${twinRequestName(request)}`,
    outcome,
    isDecided ? undefined : message,
  );
}

function measuredText(one: TwinLatency): string {
  return `${twinIntervalText(one)}, ${counted(one.pairs, "pair")}`;
}

function undecided(one: TwinLatency): string {
  const missing = twinUndecidedText(one);
  return missing === undefined ? "" : ` (${missing})`;
}

function latencyTable(latency: readonly TwinLatency[]): Table {
  return {
    title: "Latency of both deployments, by kind of request",
    head: ["request", "verdict", "old", "new", "change", "old against itself", "pairs"],
    figures: [2, 3, 6],
    rows: latency.map((one) => ({
      tone: twinTones[one.outcome],
      cells: [
        twinRequestName(one.request),
        `${twinLabels[one.outcome]}${undecided(one)}`,
        ...[one.old, one.new].map((value) => (value === undefined ? "" : milliseconds(value))),
        twinIntervalText(one),
        one.control === undefined ? "" : twinIntervalText(one.control),
        grouped(one.pairs),
      ],
    })),
  };
}

/** What the outcomes mean, in one sentence. */
function latencyNote(latency: readonly TwinLatency[]): string {
  if (latency.length === 0) return "No latency was compared.";
  const shares = latency.map(({ smallest }) => smallest);
  const [least, most] = [percent(Math.min(...shares)), percent(Math.max(...shares))];
  return `The smallest difference that counts is ${least === most ? least : `${least} to ${most}, by kind of request`}. Same: the interval rules out a difference that counts. Slower or faster: it rules out everything up to a quarter of one, also when all pairs of a second count as one.`;
}

/** What is said of a run that a comparison decided. */
export const twinCauses: CauseTable = {
  "responses-differ": {
    counted: ({ results: { twin } }) => {
      const { responses, contract = [] } = twin ?? {};
      const breaking = contract.filter((one) => one.breaking);
      const failures = Number(responses?.failures.outcome === "different");
      const count = breaking.length + twinDifferenceTexts(responses?.differences ?? []).length + failures;
      return count === 0
        ? undefined
        : `${counted(count, "difference")} between the old and the new deployment`;
    },
  },
  "latency-slower": {
    counted: ({ results: { twin } }) => {
      const { length } = kindsOf("slower", twin);
      return length === 0
        ? undefined
        : `${counted(length, "kind of request is", "kinds of request are")} slower than at the old deployment`;
    },
    next: ({ results }) => sameCommand(results),
  },
  "twin-not-judged": {
    why: ({ results: { twin } }) =>
      twin?.responses.outcome === "inconclusive"
        ? "Nothing differs so far, but the time ended before all responses were compared."
        : latencyNotJudgedText(twin),
    next: ({ results }) =>
      // Of a flag that is given twice, the last one counts.
      results.twin && `${sameCommand(results)} --duration ${Math.ceil(3 * results.twin.seconds)}s`,
  },
};

function kindsOf(outcome: TwinLatency["outcome"], twin: Results["twin"]): string[] {
  const all = twin?.latency.filter((one) => one.outcome === outcome) ?? [];
  return all.map(({ request }) => twinRequestName(request));
}

/** What is known where latency alone was not judged, and of which kinds of request it was not. */
function latencyNotJudgedText(twin: Results["twin"]): string {
  const { contract = [], seconds = 0 } = twin ?? {};
  const same =
    contract.length === 0
      ? "Responses and contract are the same."
      : "Responses are the same, and the contract has no breaking change.";
  return `${same} Latency was not judged in ${duration(seconds)}: ${listed(kindsOf("inconclusive", twin))}.`;
}

/** What nothing different means: how much was compared, and what is faster. */
export function twinPassed({ twin }: Pick<Results, "twin">): string | undefined {
  if (twin === undefined) return undefined;
  const faster = kindsOf("faster", twin);
  const same = `the responses to ${counted(twin.responses.requests, "request")} are the same at both deployments`;
  if (faster.length === 0) return twin.latency.length === 0 ? same : `${same}, and so is latency`;
  return `${same}, and the target is faster (${listed(faster)})`;
}
