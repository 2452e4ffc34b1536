import { listChanges } from "../../service/start.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { injections } from "./injections.ts";
import type { Trial } from "./trial.ts";

/** Something to try. */
export type Candidate = Pick<Trial, "kind" | "name">;

/** What of all there is to try. */
export interface ProofSelection {
  /** Names of faults, injections and variants; all when empty. */
  readonly only: readonly string[];
  readonly faults: boolean;
  readonly variants: boolean;
}

/** All that can be tried on the reference service; the honest one first, since nothing follows where it is blamed. */
export function embeddedCandidates(): Candidate[] {
  return [
    { kind: "honest", name: "honest" },
    ...listChanges().map(({ kind, name }) => ({ kind, name })),
    ...injectionCandidates(),
  ];
}

/** All that the proxy can put on any other target. */
export function injectionCandidates(): Candidate[] {
  return injections.map(({ fault }) => ({ kind: "injection", name: fault }));
}

/** @throws UsageError for an unknown name, and when nothing is left. */
export function selectCandidates(
  all: readonly Candidate[],
  { only, faults, variants }: ProofSelection,
): Candidate[] {
  for (const name of only) mustBeKnown(name, all);
  const either = !faults && !variants;
  const wanted: Record<Candidate["kind"], boolean> = {
    honest: either || variants,
    variant: either || variants,
    fault: either || faults,
    injection: either || faults,
  };
  const chosen = all.filter(({ kind, name }) =>
    only.length === 0 ? wanted[kind] : only.includes(name) && wanted[kind],
  );
  if (chosen.length > 0) return chosen;
  throw new UsageError({
    what: "nothing is selected",
    where: [
      ...only.map((name) => `--only ${name}`),
      ...(faults ? ["--faults"] : []),
      ...(variants ? ["--variants"] : []),
    ].join(" "),
    mend: "Leave one of them out: together they exclude everything.",
  });
}

function mustBeKnown(name: string, all: readonly Candidate[]): void {
  const known = all.map((one) => one.name);
  if (known.includes(name)) return;
  throw new UsageError({
    what: "no fault, injection or variant has this name",
    where: `--only ${name}`,
    mend: didYouMean(name, known),
  });
}
