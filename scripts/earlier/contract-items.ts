import type { Results } from "../../schemas/contracts/results.ts";
import { counted, listed, minute } from "../../schemas/words/format.ts";
import type { Item, Suite } from "../report/model.ts";
import type { CauseTable } from "../report/subjects/run/causes.ts";
import { emptySuite } from "../report/subjects/run/run.ts";
import type { Tone } from "../report/tones.ts";
import type { Drift } from "./contract-change.ts";
import { driftLabels, driftSubject, driftText } from "./contract-words.ts";

const driftTones = {
  breaking: "bad",
  notable: "notice",
  harmless: "plain",
} as const satisfies Record<Drift["rank"], Tone>;

const driftVerdicts = {
  breaking: "fail",
  notable: "warn",
  harmless: "pass",
} as const satisfies Record<Drift["rank"], Item["verdict"]>;

const ranks = Object.keys(driftLabels) as Drift["rank"][];

/** Changes of the contract, breaking ones first. */
export function contractItems(changes: readonly Drift[], id = "contract"): Item[] {
  const sorted = changes.toSorted((one, other) => ranks.indexOf(one.rank) - ranks.indexOf(other.rank));
  return sorted.map((one) => ({
    id: `${id}.${one.rule}.${driftSubject(one)}`,
    title: `Contract: ${driftSubject(one)}`,
    verdict: driftVerdicts[one.rank],
    tone: driftTones[one.rank],
    said: [{ message: driftText(one), where: [], places: [] }],
    evidence: [],
    commands: [],
  }));
}

/** `1 breaking change and 3 harmless changes`; `nothing changed`. */
export function changeCounts(changes: readonly Drift[]): string {
  const counts = ranks.flatMap((rank) => {
    const { length } = changes.filter((one) => one.rank === rank);
    return length === 0 ? [] : [counted(length, `${driftLabels[rank]} change`)];
  });
  return counts.length === 0 ? "nothing changed" : listed(counts);
}

/** What changed since an earlier run. */
export function contractSuites({ drift }: Pick<Results, "drift">): Suite[] {
  if (drift === undefined) return [];
  const { since, changes } = drift;
  const worst = ranks.find((rank) => changes.some((one) => one.rank === rank));
  return [
    {
      ...emptySuite,
      id: "contract",
      title: "Contract changes",
      tone: worst === undefined || worst === "harmless" ? "good" : driftTones[worst],
      items: contractItems(changes),
      lines: [`Compared with the run of ${minute(since)}: ${changeCounts(changes)}.`],
    },
  ];
}

export const contractCauses: CauseTable = {
  "contract-broken": {
    counted: ({ results }) => breakingText(results),
    why: ({ results }) =>
      `${breakingText(results)}. Ask the service's team whether that is intended; if it is, compare with a later run from now on.`,
  },
};

function breakingText({ drift }: Pick<Results, "drift">): string | undefined {
  const breaking = drift?.changes.filter(({ rank }) => rank === "breaking") ?? [];
  return breaking.length === 0
    ? undefined
    : `${counted(breaking.length, "breaking change")} since the earlier run`;
}
