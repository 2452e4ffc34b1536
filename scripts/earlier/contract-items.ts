import type { ResultParts, Results } from "../../schemas/contracts/results.ts";
import { capitalized, counted, listed, minute } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import type { CauseOfPart } from "../core/added.ts";
import { emptySuite, type Item, type Suite } from "../report/model.ts";
import { waiverEntry } from "../report/subjects/run/run.ts";
import type { ContractDifference } from "./contract.ts";
import { changeLines, type VerdictChange } from "./verdict-changes.ts";

declare module "../../schemas/contracts/results.ts" {
  interface ResultParts {
    /** What changed since the run of `--since`, which started at `startedAt`. */
    earlier?:
      | {
          startedAt: string;
          differences: ContractDifference[];
          /** Verdicts of requirements that got worse: the requirements themselves decide the run. */
          verdicts: Pick<VerdictChange, "id" | "kind">[];
        }
      | undefined;
  }
}

type Differences = readonly ContractDifference[];

function brokenBy(differences: Differences): number {
  return differences.filter(({ breaking, waiver }) => breaking && waiver === undefined).length;
}

export function breakingText(differences: Differences): string {
  const broken = brokenBy(differences);
  const accepted = differences.filter(({ breaking }) => breaking).length - broken;
  if (differences.length === 0) return "nothing changed";
  if (broken > 0) return counted(broken, "breaking change");
  return accepted > 0 ? `${counted(accepted, "breaking change")}, accepted` : "nothing that breaks clients";
}

/** What breaks clients as items, the rest as lines. `isGate`: of a run in which a waiver accepts them. */
export function contractSuite(
  differences: Differences,
  { title, lines }: Pick<Suite, "title" | "lines">,
  isGate = false,
): Suite {
  const breaking = differences.filter((one) => one.breaking);
  return {
    ...emptySuite,
    id: "contract",
    title,
    tone: brokenBy(differences) > 0 ? "bad" : breaking.length > 0 ? "notice" : "good",
    items: breaking.map(({ name, message, waiver }): Item => {
      const isWaived = waiver !== undefined;
      const entry = `To accept it for a time, add to waivers: \`${waiverEntry(name)}\``;
      return {
        id: `contract.${name}`,
        title: `Contract: ${name}`,
        verdict: isWaived ? "waived" : "fail",
        tone: isWaived ? "notice" : "bad",
        said: [{ message, fix: isGate && !isWaived ? entry : undefined, where: [], places: [] }],
        ...{ evidence: [], commands: [], waiver },
      };
    }),
    lines: [...lines, ...differences.flatMap((one) => (one.breaking ? [] : [one.message]))],
  };
}

/** What changed since an earlier run. */
export function contractSuites({ parts: { earlier } = {} }: Pick<Results, "parts">): Suite[] {
  if (earlier === undefined) return [];
  const { startedAt, differences, verdicts } = earlier;
  const compared = `Contract compared with the run of ${minute(startedAt)}: ${breakingText(differences)}.`;
  const lines = [compared, ...changeLines(verdicts)];
  return [contractSuite(differences, { title: "Since the earlier run", lines }, true)];
}

/** `2 breaking changes since the earlier run`; undefined without any. */
function brokenSince({ earlier }: ResultParts = {}): string | undefined {
  const broken = brokenBy(earlier?.differences ?? []);
  return broken === 0 ? undefined : `${counted(broken, "breaking change")} since the earlier run`;
}

/** `1 breaking change accepted (…)`, with the names; undefined without any. */
export function acceptedSince({ parts: { earlier } = {} }: Pick<Results, "parts">): string | undefined {
  const all = earlier?.differences.filter(({ breaking, waiver }) => breaking && waiver !== undefined) ?? [];
  const names = listed(all.map(({ name }) => code(name)));
  return all.length === 0 ? undefined : `${counted(all.length, "breaking change")} accepted (${names})`;
}

export const contractCauses = {
  "contract-broken": {
    verdict: "violations",
    exitCode: 1,
    label: "contract changed",
    isAgreed: true,
    after: "requests-failed",
    applies: ({ parts }) => brokenSince(parts) !== undefined,
    counted: ({ results }) => brokenSince(results.parts),
    why: ({ results }) =>
      `${capitalized(brokenSince(results.parts) ?? "")}. Ask the service's team whether that is intended.`,
  },
} satisfies Record<string, CauseOfPart>;

type ContractCauses = Record<keyof typeof contractCauses, true>;
declare module "../../schemas/contracts/verdicts.ts" {
  interface AddedCauses extends ContractCauses {}
}
