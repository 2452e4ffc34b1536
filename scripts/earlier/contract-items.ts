import type { Results } from "../../schemas/contracts/results.ts";
import { capitalized, counted, minute } from "../../schemas/words/format.ts";
import type { Item, Suite } from "../report/model.ts";
import type { CauseTable } from "../report/subjects/run/causes.ts";
import { emptySuite, waiverEntry } from "../report/subjects/run/run.ts";
import type { ContractDifference } from "./since-result.ts";

type ContractChanges = readonly ContractDifference[];

/** ContractChanges that break clients, as items. `isGate`: of a run in which a waiver accepts them. */
export function contractItems(
  differences: ContractChanges,
  { id: start = "contract", isGate = false }: { readonly id?: string; readonly isGate?: boolean } = {},
): Item[] {
  return differences.flatMap(({ breaking, name, finding: { message }, waiver }): Item[] => {
    if (!breaking) return [];
    const isWaived = waiver !== undefined;
    const fix =
      isWaived || !isGate ? undefined : `To accept it for a time, add to waivers: \`${waiverEntry(name)}\``;
    return [
      {
        id: `${start}.${name}`,
        title: `Contract: ${name}`,
        verdict: isWaived ? "waived" : "fail",
        tone: isWaived ? "notice" : "bad",
        said: [{ message, fix, where: [], places: [] }],
        evidence: [],
        commands: [],
        waiver,
      },
    ];
  });
}

/** The other differences. */
export function contractNotes(differences: ContractChanges): string[] {
  return differences.flatMap((one) => (one.breaking ? [] : [one.finding.message]));
}

export function breakingText(differences: ContractChanges): string {
  const { length } = brokenBy(differences);
  if (differences.length === 0) return "nothing changed";
  return length === 0 ? "nothing that breaks clients" : counted(length, "breaking change");
}

function brokenBy(differences: ContractChanges): ContractDifference[] {
  return differences.filter(({ breaking, waiver }) => breaking && waiver === undefined);
}

export function contractSuite(
  differences: ContractChanges,
  rest: Pick<Suite, "title" | "lines">,
  isGate = false,
): Suite {
  const items = contractItems(differences, { isGate });
  return {
    ...emptySuite,
    ...rest,
    id: "contract",
    tone: brokenBy(differences).length > 0 ? "bad" : items.length > 0 ? "notice" : "good",
    items,
    lines: [...rest.lines, ...contractNotes(differences)],
  };
}

/** What changed since an earlier run. */
export function contractSuites({ since }: Pick<Results, "since">): Suite[] {
  if (since === undefined) return [];
  const { startedAt, differences, verdicts } = since;
  const lines = [
    `Compared with the run of ${minute(startedAt)}: ${breakingText(differences)}.`,
    ...verdicts.map(({ message }) => message),
  ];
  return [contractSuite(differences, { title: "Since the earlier run", lines }, true)];
}

export const contractCauses: CauseTable = {
  "contract-broken": {
    counted: ({ results: { since } }) => {
      const { differences = [] } = since ?? {};
      return brokenBy(differences).length === 0
        ? undefined
        : `${breakingText(differences)} since the earlier run`;
    },
    why: ({ results: { since } }) =>
      `${capitalized(breakingText(since?.differences ?? []))} since the earlier run. Ask the service's team whether that is intended.`,
  },
};
