import type { ResultParts, Results } from "../../schemas/contracts/results.ts";
import { capitalized, counted, minute } from "../../schemas/words/format.ts";
import type { CauseOfPart } from "../core/added.ts";
import type { Item, Suite } from "../report/model.ts";
import { emptySuite, waiverEntry } from "../report/subjects/run/run.ts";
import type { ContractDifference } from "./since-result.ts";

type ContractChanges = readonly ContractDifference[];

export function breakingText(differences: ContractChanges): string {
  const breaking = differences.filter((one) => one.breaking);
  const { length } = brokenBy(differences);
  if (differences.length === 0) return "nothing changed";
  if (breaking.length === 0) return "nothing that breaks clients";
  return length === 0
    ? `${counted(breaking.length, "breaking change")}, accepted`
    : counted(length, "breaking change");
}

function brokenBy(differences: ContractChanges): ContractDifference[] {
  return differences.filter(({ breaking, waiver }) => breaking && waiver === undefined);
}

/** Differences that break clients as items, the others as lines. `isGate`: of a run in which a waiver accepts them. */
export function contractSuite(
  differences: ContractChanges,
  rest: Pick<Suite, "title" | "lines">,
  isGate = false,
): Suite {
  const breaking = differences.filter((one) => one.breaking);
  return {
    ...emptySuite,
    ...rest,
    id: "contract",
    tone: brokenBy(differences).length > 0 ? "bad" : breaking.length > 0 ? "notice" : "good",
    items: breaking.map((one) => breakingItem(one, isGate)),
    lines: [...rest.lines, ...differences.flatMap((one) => (one.breaking ? [] : [one.finding.message]))],
  };
}

function breakingItem({ name, finding: { message }, waiver }: ContractDifference, isGate: boolean): Item {
  const isWaived = waiver !== undefined;
  const fix =
    isWaived || !isGate ? undefined : `To accept it for a time, add to waivers: \`${waiverEntry(name)}\``;
  return {
    id: `contract.${name}`,
    title: `Contract: ${name}`,
    verdict: isWaived ? "waived" : "fail",
    tone: isWaived ? "notice" : "bad",
    said: [{ message, fix, where: [], places: [] }],
    evidence: [],
    commands: [],
    waiver,
  };
}

/** What changed since an earlier run. */
export function contractSuites({ parts: { earlier } = {} }: Pick<Results, "parts">): Suite[] {
  if (earlier === undefined) return [];
  const { startedAt, differences, verdicts } = earlier;
  const lines = [
    `Compared with the run of ${minute(startedAt)}: ${breakingText(differences)}.`,
    ...verdicts.map(({ message }) => message),
  ];
  return [contractSuite(differences, { title: "Since the earlier run", lines }, true)];
}

export const contractCauses = {
  "contract-broken": {
    verdict: "violations",
    exitCode: 1,
    label: "contract changed",
    isAgreed: true,
    after: "requests-failed",
    applies: (parts) => brokenBy(differencesOf({ parts })).length > 0,
    counted: ({ results }) => {
      const differences = differencesOf(results);
      return brokenBy(differences).length === 0
        ? undefined
        : `${breakingText(differences)} since the earlier run`;
    },
    why: ({ results }) =>
      `${capitalized(breakingText(differencesOf(results)))} since the earlier run. Ask the service's team whether that is intended.`,
  },
} satisfies Record<string, CauseOfPart>;

function differencesOf({ parts }: { readonly parts?: ResultParts | undefined }): ContractChanges {
  return parts?.earlier?.differences ?? [];
}

type ContractCauses = Record<keyof typeof contractCauses, true>;
declare module "../../schemas/contracts/verdicts.ts" {
  interface AddedCauses extends ContractCauses {}
}
