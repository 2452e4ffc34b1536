import { type Selection, SelectionError, selectChecks } from "../../conformance/engine/select.ts";
import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";

/**
 * The checks and rules that are selected.
 *
 * @param from Where each list comes from, for messages.
 * @throws UsageError for an unknown name, and for an empty selection.
 */
export function selectListed(
  selection: Selection,
  from: Readonly<Record<keyof Selection, string>> = flagsOf,
): Listed[] {
  try {
    return selectChecks(listChecks(), selection);
  } catch (error) {
    if (error instanceof SelectionError) throw selectionMistake(error, from);
    throw error;
  }
}

const flagsOf = { only: "--only", skip: "--skip" } as const;

/** The error of the command line for a selection that selects nothing, or that names an unknown check. */
export function selectionMistake(
  { mistake }: SelectionError,
  from: Readonly<Record<keyof Selection, string>> = flagsOf,
): UsageError {
  if (mistake.kind === "unknown name") {
    return new UsageError({
      what: "There is no check with this id, nor a requirement or section that has checks",
      where: `${from[mistake.list]} ${mistake.name}`,
      fix: didYouMean(mistake.name, mistake.known),
    });
  }
  const { only, skip } = mistake.selection;
  return new UsageError({
    what: "Nothing is selected",
    where: [
      ...only.map((name) => `${from.only} ${name}`),
      ...skip.map((name) => `${from.skip} ${name}`),
    ].join(" "),
    fix: "Change one of them: together they exclude every check.",
  });
}
