import { keyFingerprint } from "../../conformance/client/target.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import type { Addition, GateToBegin } from "../cli/commands/command.ts";
import { runNames } from "../cli/commands/flags.ts";
import { defaults } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import { readRun } from "../runs/read-run.ts";
import { inForce } from "../runs/waivers.ts";
import { changeKinds, verdictChanges } from "./changes.ts";
import { whyNotWhole } from "./comparison.ts";
import { differencesBetween, isDifferenceName } from "./contract.ts";

/** `gate --since RUN`: compares with an earlier run what conformance found. */
export const gateSince: Addition = {
  flags: (command) =>
    command.option("--since <run>", `fail also if the contract changed in a breaking way since ${runNames}`),
  begin: async ({ since }: { readonly since?: string }, gate) => {
    if (since === undefined) return undefined;
    // Read now: `latest` is the run that is the latest before this one.
    const earlier = await runToCompare(since, gate);
    const accepted = inForce(gate.settings.waivers, gate.io.now());
    return ({ state, target: { keys } }) => {
      const run = { ...state, target: { keyFingerprint: keyFingerprint(keys.primary) } };
      const differences = differencesBetween(earlier, run).map((one) => ({
        ...one,
        ...given({ waiver: accepted.find(({ id }) => id === one.name) }),
      }));
      const verdicts = verdictChanges(earlier.requirements, run.requirements).filter(
        ({ kind }) => changeKinds[kind].weight !== "none",
      );
      state.parts.earlier = { startedAt: earlier.startedAt, differences, verdicts };
      // Only a run with `--since` shows the states of waivers of differences.
      for (const one of state.waivers ?? []) {
        if (one.state !== "expired" && isDifferenceName(one.waiver.id))
          one.state = differences.some(({ name }) => name === one.waiver.id) ? "active" : "stale";
      }
    };
  },
};

/**
 * What a part of the requirements does not see of the contract is not gone, so all are judged.
 * @throws UsageError as readRun; for a run that is unfinished, judged a part only, or is of another target.
 */
async function runToCompare(run: string, { settings, io, isPartial }: GateToBegin): Promise<Results> {
  const where = `--since ${run}`;
  if (isPartial)
    throw new UsageError({
      what: "A run of some requirements cannot be compared with an earlier one",
      where,
      fix: "Omit --since, or select nothing: --only, --skip, and only and skip of gate in the config.",
    });
  const { name, categories: named }: { name: string; categories?: readonly string[] } = settings.choice
    .target ?? { name: defaults.target };
  const { results } = await readRun(run, settings.placeFlags, io);
  const { target, requirements, discovered } = results;
  // A field that only products of this category have would seem to be gone.
  const other = discovered.categories?.find((category) => !(named ?? [category]).includes(category));
  const [why] = [
    target.name === name ? undefined : `was of the target ${JSON.stringify(target.name)}`,
    whyNotWhole(results),
    requirements.length === 0 ? "judged no requirement" : undefined,
    other && `browsed the category ${JSON.stringify(other)}, which is not named now`,
  ].filter((one) => one !== undefined);
  if (why === undefined) return results;
  throw new UsageError({
    what: `The run cannot be compared with: it ${why}`,
    where,
    fix: `Name a finished, whole run of gate or conformance on ${name}.`,
  });
}
