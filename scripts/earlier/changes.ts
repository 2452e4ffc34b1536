import type {
  CheckResult,
  RequirementResult,
  ResultParts,
  Results,
} from "../../schemas/contracts/results.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { failureWords } from "../../schemas/words/failures.ts";
import { capitalized, counted, listed, minute } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import type { CauseOfPart } from "../core/added.ts";
import { emptySuite, type Item, type Suite } from "../report/model.ts";
import { waiverEntry } from "../report/subjects/run/run.ts";
import type { ContractDifference } from "./contract.ts";

declare module "../../schemas/contracts/results.ts" {
  interface ResultParts {
    /** What changed since the run of `--since`, which started at `startedAt`. */
    earlier?:
      | {
          startedAt: string;
          differences: ContractDifference[];
          /** Verdicts of requirements that got worse: the requirements themselves decide the run. */
          verdicts: VerdictChange[];
        }
      | undefined;
  }
}

/** How the verdict of a requirement changes, worst first: `worse` is a regression, `open` is not known. */
export const changeKinds = {
  "newly-failing": { label: "newly failing", weight: "worse" },
  // No proven regression.
  "failing-not-judged-before": { label: "failing, not judged before", weight: "open" },
  "no-longer-judged": { label: "no longer judged", weight: "open" },
  waived: { label: "waived", weight: "none" },
  "new-warning": { label: "new warning", weight: "none" },
  fixed: { label: "no longer failing", weight: "none" },
} as const;
type ChangeKind = keyof typeof changeKinds;
const kinds = Object.keys(changeKinds) as ChangeKind[];

export interface VerdictChange {
  readonly id: string;
  readonly kind: ChangeKind;
  /** Undefined when the run did not select the requirement, or did not have it. */
  readonly before: Verdict | undefined;
  readonly after: Verdict | undefined;
}

type ComparedRequirement = Pick<RequirementResult, "id" | "level" | "verdict"> & {
  readonly checks: readonly Pick<CheckResult, "waiver" | "findings" | "attempts">[];
};

/** Requirements whose verdict changed, the worst changes first. */
export function verdictChanges(
  before: readonly ComparedRequirement[],
  after: readonly ComparedRequirement[],
): VerdictChange[] {
  const ids = new Set([...after, ...before].map(({ id }) => id));
  const changes = [...ids].flatMap((id) => {
    const [old, now] = [before, after].map((run) => run.find((one) => one.id === id));
    const kind = kindOf(old, now);
    return kind === undefined ? [] : [{ id, kind, before: old?.verdict, after: now?.verdict }];
  });
  return changes.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

/** A waiver makes a warning of a failure, and of what was not judged. */
function withoutWaiver({ verdict, level, checks }: ComparedRequirement): Verdict {
  const waived = checks.filter(({ waiver }) => waiver !== undefined);
  if (verdict !== "warn" || level !== "must" || waived.length === 0) return verdict;
  const hasFailed = waived.some(({ findings }) =>
    findings.some(({ code }) => Object.hasOwn(failureWords, code)),
  );
  return hasFailed ? "fail" : "inconclusive";
}

function kindOf(old?: ComparedRequirement, now?: ComparedRequirement): ChangeKind | undefined {
  if (old?.verdict === now?.verdict) return undefined;
  const [before, after] = [old && withoutWaiver(old), now?.verdict];
  const [wasJudged, isJudged] = [before, after].map(
    (verdict) => verdict !== undefined && verdict !== "inconclusive" && verdict !== "error",
  );
  if (!isJudged) {
    const isMust = (now ?? old)?.level === "must";
    return wasJudged && isMust && before !== "notApplicable" ? "no-longer-judged" : undefined;
  }
  const isWaived = now?.checks.some(({ waiver }) => waiver !== undefined);
  // It failed before, when a waiver accepted that. A waiver that is still there accepts another failure.
  if (after === "fail" && before === "fail" && !isWaived) return undefined;
  if (after === "fail")
    return wasJudged && before !== "notApplicable" ? "newly-failing" : "failing-not-judged-before";
  // A waived failure has the verdict warning: it is neither fixed nor a warning.
  if (after === "warn" && wasJudged && isWaived) return "waived";
  // It still fails in some attempts.
  const isVarying = now?.checks.some(({ attempts }) => attempts !== undefined);
  if (before === "fail" && !isVarying) return "fixed";
  return after === "warn" && wasJudged ? "new-warning" : undefined;
}

function brokenBy(differences: readonly ContractDifference[]): number {
  return differences.filter(({ breaking, waiver }) => breaking && waiver === undefined).length;
}

export function breakingText(differences: readonly ContractDifference[]): string {
  const broken = brokenBy(differences);
  const accepted = differences.filter(({ breaking }) => breaking).length - broken;
  if (broken > 0) return counted(broken, "breaking change");
  return accepted > 0 ? `${counted(accepted, "breaking change")}, accepted` : "no breaking change found";
}

interface Changes {
  readonly differences: readonly ContractDifference[];
  readonly verdicts: readonly VerdictChange[];
}

/** What breaks clients as items, the rest as lines. `isGate`: of a run in which a waiver accepts them. */
export function changesSuite(
  { differences, verdicts }: Changes,
  { title, lines }: Pick<Suite, "title" | "lines">,
  isGate = false,
): Suite {
  const breaking = differences.filter((one) => one.breaking);
  const weights = verdicts.map(({ kind }) => changeKinds[kind].weight);
  const isBad = brokenBy(differences) > 0 || weights.includes("worse");
  return {
    ...emptySuite,
    id: "changes",
    title,
    tone: isBad ? "bad" : weights.includes("open") || breaking.length > 0 ? "notice" : "good",
    items: breaking.map(({ name, message, waiver }): Item => {
      const isWaived = waiver !== undefined;
      const entry = `To accept it for a time, add to waivers: \`${waiverEntry(name)}\``;
      return {
        id: name,
        title: `Contract: ${name}`,
        verdict: isWaived ? "waived" : "fail",
        tone: isWaived ? "notice" : "bad",
        said: [{ message, fix: isGate && !isWaived ? entry : undefined, where: [], places: [] }],
        ...{ evidence: [], commands: [], waivers: waiver && [waiver] },
      };
    }),
    lines: [
      ...lines,
      // ``No longer failing: `errors.unknown-product`.``
      ...[...Map.groupBy(verdicts, ({ kind }) => kind)].map(
        ([kind, all]) =>
          `${capitalized(changeKinds[kind].label)}: ${all.map(({ id }) => code(id)).join(", ")}.`,
      ),
      ...differences.flatMap((one) => (one.breaking ? [] : [one.message])),
    ],
  };
}

/** What changed since an earlier run. */
export function changesSuites({ parts: { earlier } = {} }: Pick<Results, "parts">): Suite[] {
  if (earlier === undefined) return [];
  const compared = `Contract compared with the run of ${minute(earlier.startedAt)}: ${breakingText(earlier.differences)}.`;
  return [changesSuite(earlier, { title: "Since the earlier run", lines: [compared] }, true)];
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
    after: "load-failed",
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
