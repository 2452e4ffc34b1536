import { requireLoadAllowed } from "../../config/load-permission.ts";
import { resolveSettings } from "../../config/settings.ts";
import { UsageError } from "../../errors.ts";
import { recordRun } from "../../runs/stages/record.ts";
import { twinStage } from "../../runs/stages/twin-stage.ts";
import { defineCommand } from "./command.ts";
import { withMaxRequests, withOut, withTargetFlags } from "./flags.ts";
import {
  againstSettings,
  isAddress,
  openAgainst,
  type TwinFlags,
  twinOptions,
  withAgainst,
  withTwinFlags,
} from "./twin-flags.ts";

/** `twin`: sends the same requests to two deployments, in turn, and compares responses, contract and latency. */
export const twin = defineCommand<TwinFlags>({
  flags: (command) =>
    withTwinFlags(
      withAgainst(
        withMaxRequests(withOut(withTargetFlags(command))),
        "the old deployment: a target in the configuration file, or a base URL, which then gets the keys of the target",
      ),
    ),
  run: async (given, io) => {
    const { against } = given;
    if (against === undefined) {
      throw new UsageError({
        what: "The deployment to compare with is not named",
        where: "twin",
        fix: "Name it with --against: a target of the configuration file, or a base URL.",
      });
    }
    // Either deployment may be named by its address.
    const { target, ...others } = given;
    const flags: TwinFlags =
      target !== undefined && isAddress(target) ? { ...others, baseUrl: target } : given;
    const settings = await resolveSettings(flags, io);
    requireLoadAllowed(settings.choice, "load");
    const old = await againstSettings(against, flags, io);
    const { maxRequests, lookSeconds: maxSeconds } = settings;
    return recordRun({ command: "twin", settings, io, json: flags.json === true }, async (run) => {
      await using opened = await openAgainst(old);
      await twinStage(run, { old: opened.target, maxRequests, maxSeconds, ...twinOptions(flags) });
    });
  },
});
