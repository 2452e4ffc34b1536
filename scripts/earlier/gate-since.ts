import { keyFingerprint } from "../../conformance/client/target.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Addition, GateToBegin } from "../cli/commands/capability.ts";
import { runNames } from "../cli/commands/earlier-runs.ts";
import { defaults } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import { runWaivers } from "../runs/waivers.ts";
import { changesSince, readSince, withDifferences } from "./since.ts";

/** `gate --since RUN`: compares with an earlier run what conformance found. */
export const gateSince: Addition = {
  flags: (command) =>
    command.option("--since <run>", `fail also if the contract changed in a breaking way since ${runNames}`),
  begin: async ({ since }: { readonly since?: string }, gate) => {
    if (since === undefined) return undefined;
    const earlier = await sinceOf(since, gate);
    const waivers = runWaivers(gate.settings, gate.io);
    return ({ state, target: { keys } }) => {
      const target = { keyFingerprint: keyFingerprint(keys.primary) };
      const changes = changesSince(earlier, { ...state, target }, waivers);
      state.parts.earlier = changes;
      if (state.waivers !== undefined) state.waivers = withDifferences(state.waivers, changes);
    };
  },
};

/** The run of `--since`. What a part of the requirements does not see of the contract is not gone, so all are judged. */
async function sinceOf(run: string, { settings, io, isPartial }: GateToBegin): Promise<Results> {
  if (isPartial)
    throw new UsageError({
      what: "A run of some requirements cannot be compared with an earlier one",
      where: `--since ${run}`,
      fix: "Omit it, or select nothing: --only, --skip, and only and skip of gate in the config.",
    });
  const { name, categories } = settings.choice.target ?? { name: defaults.target };
  return await readSince({ out: settings.out, cwd: io.cwd }, run, { name, categories });
}
