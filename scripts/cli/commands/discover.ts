import type { Wait } from "../../../conformance/client/http-client.ts";
import { redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import type { Discovered } from "../../../schemas/contracts/discovered.ts";
import type { Problem } from "../../../schemas/contracts/results.ts";
import { defaults, resolveSettings } from "../../config/settings.ts";
import { CannotRunError } from "../../errors.ts";
import { discoveredSuite } from "../../report/subjects/run/discovered.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { consoleItems } from "../../report/writers/console.ts";
import { saidDiscovered } from "../../runs/said.ts";
import { discoverTarget, waitLine } from "../../runs/stages/conformance-stage.ts";
import { openTarget } from "../../runs/stages/open-target.ts";
import { discoveryRequests } from "../../runs/stages/selection.ts";
import { defineCommand, printBounds } from "./command.ts";
import { type CommonFlags, type PlanFlags, withMaxRequests, withPlan, withTargetFlags } from "./flags.ts";

/** `discover`: prints what checks and load can use of the target, and what is missing. Exit 4 when its time ended before. */
export const discover = defineCommand<CommonFlags & PlanFlags>({
  flags: (command) => withPlan(withMaxRequests(withTargetFlags(command), `${defaults.lookSeconds}`)),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    const { maxRequests, lookSeconds: maxSeconds } = settings;
    if (flags.plan === true) {
      const requests = Math.min(maxRequests, discoveryRequests);
      return printBounds(io, flags.json, { requests, maxSeconds });
    }
    await using opened = await openTarget(settings);
    const { target } = opened;
    const redaction = redactionFor(target);
    const onWait = (wait: Wait): void => {
      io.stderr.write(`${waitLine(wait)}\n`);
    };
    const found = await discoverTarget({ target, maxRequests, maxSeconds, signal: io.signal, onWait }).catch(
      problemOnly,
    );
    const { discovered, problem } = redactValue(found, redaction);
    if (flags.json === true) {
      io.stdout.write(`${JSON.stringify({ ...discovered, ...(problem && { problem }) }, null, 2)}\n`);
    } else if (discovered !== undefined) {
      // On a page it is background; here it is what was asked for.
      const suite = { ...discoveredSuite(saidDiscovered(discovered, redaction)), tone: "good" as const };
      io.stdout.write(consoleItems([suite], consoleStyle(io)));
    }
    if (problem !== undefined) throw new CannotRunError(problem);
    return discovered?.fixtures.some(({ missing }) => missing?.code === "budget-spent") === true ? 4 : 0;
  },
});

/** The result without any discovery, so that `--json` prints an object even then. */
function problemOnly(error: unknown): { discovered?: Discovered; problem?: Problem } {
  if (!(error instanceof CannotRunError)) throw error;
  const { what, where, fix } = error;
  return { problem: { what, where, fix } };
}
