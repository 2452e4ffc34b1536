import { redactionFor, redactValue } from "../../conformance/client/redaction.ts";
import { resolveSettings } from "../config/settings.ts";
import { renderDiscovered } from "../report/console.ts";
import { consoleStyle } from "../report/terminal.ts";
import { discoverTarget } from "../run/conformance.ts";
import { openTarget } from "../run/open-target.ts";
import { defineCommand } from "./command.ts";
import { type CommonFlags, withMaxRequests, withTargetFlags } from "./flags.ts";

/** `discover`: what the target shows for checks and load to work with, and what is missing for which. */
export const discover = defineCommand<CommonFlags>({
  flags: (command) => withMaxRequests(withTargetFlags(command)),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    await using opened = await openTarget(settings);
    const redaction = redactionFor(opened.target);
    const { maxRequests } = settings;
    const found = await discoverTarget({ target: opened.target, maxRequests, signal: io.signal });
    const { discovered } = redactValue(found, redaction);
    io.stdout.write(
      flags.json === true
        ? `${JSON.stringify(discovered, null, 2)}\n`
        : renderDiscovered(discovered, redaction, consoleStyle(io)),
    );
    return 0;
  },
});
