import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { causeOf, type WordsTable } from "../../../../schemas/words/index.ts";
import { reportedOf, type SaidRequirement } from "./requirements.ts";

/** A cause for which requirements were not judged: one thing to fix. */
export interface NotJudgedCause {
  readonly finding: Finding;
  /** The cause in words. */
  readonly text: string;
  readonly fix: string | undefined;
  /** Requirements with this cause, those first that no more frequent one has. */
  readonly requirements: readonly SaidRequirement[];
}

/** The most frequent cause first. `table` has the words of their codes. */
export function notJudgedCauses(
  requirements: readonly SaidRequirement[],
  table?: WordsTable,
): NotJudgedCause[] {
  const groups = new Map<string, NotJudgedCause & { readonly requirements: SaidRequirement[] }>();
  for (const requirement of requirements) {
    const own = new Map(causesOf(requirement, table).map((cause) => [cause.key, cause]));
    for (const [key, cause] of own) {
      const known = groups.get(key) ?? { ...cause, requirements: [] };
      known.requirements.push(requirement);
      groups.set(key, known);
    }
  }
  return [...groups.values()].toSorted((a, b) => b.requirements.length - a.requirements.length);
}

function causesOf(requirement: SaidRequirement, table?: WordsTable) {
  const found = reportedOf(requirement)
    .filter(({ verdict }) => verdict === "inconclusive")
    .flatMap(({ findings, excused }) =>
      // An excused check needs no fix; its text says so.
      findings.map((finding) =>
        excused === undefined
          ? { key: causeOf(finding, table), finding, text: finding.message, fix: finding.fix }
          : {
              key: `excused ${excused} ${causeOf(finding, table)}`,
              finding,
              text: `${finding.message} Excused: \`optional\` in the config lists ${excused}.`,
              fix: undefined,
            },
      ),
    );
  const finding: Finding = { code: "not-reached" };
  return found.length > 0 ? found : [{ key: "not-reached", finding, text: "", fix: undefined }];
}
