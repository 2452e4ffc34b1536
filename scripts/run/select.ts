import type { Listed } from "../../conformance/suite/all.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";

export interface Selection {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/**
 * The checks that `--only` and `--skip` leave. Each name is a requirement (`errors.shape`), a check
 * (`errors.shape/every-answer`) or a section (`errors`).
 * @throws UsageError for a name that is none of these, and when nothing is left.
 */
export function selectChecks(all: readonly Listed[], { only, skip }: Selection): Listed[] {
  for (const [flag, names] of [
    ["--only", only],
    ["--skip", skip],
  ] as const) {
    for (const name of names) mustBeKnown(flag, name, all);
  }
  const selected = all.filter(
    (check) =>
      (only.length === 0 || only.some((name) => covers(name, check))) &&
      !skip.some((name) => covers(name, check)),
  );
  if (selected.length === 0) {
    throw new UsageError({
      what: "nothing is selected",
      where: [...only.map((name) => `--only ${name}`), ...skip.map((name) => `--skip ${name}`)].join(" "),
      mend: "Leave one of them out: together they exclude every check.",
    });
  }
  return selected;
}

function covers(name: string, { id, requirement, section }: Listed): boolean {
  return name === id || name === requirement || name === section;
}

function mustBeKnown(flag: string, name: string, all: readonly Listed[]): void {
  if (all.some((check) => covers(name, check))) return;
  // Only what has checks: a requirement that is excluded or a gap cannot be selected.
  const known = (["section", "requirement", "id"] as const).flatMap((part) =>
    all.map((check) => check[part]),
  );
  throw new UsageError({
    what: "no check, and no requirement or section that has checks, has this name",
    where: `${flag} ${name}`,
    mend: didYouMean(name, [...new Set(known)]),
  });
}
