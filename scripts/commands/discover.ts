import { redactionFor } from "../../conformance/redaction.ts";
import { resolveSettings } from "../config/settings.ts";
import { discoverTarget } from "../conformance/run.ts";
import { renderDiscovered } from "../reports/console-discovered.ts";
import { consoleStyle } from "../reports/style.ts";
import { redactValue } from "../results/redact.ts";
import { openTarget } from "../target/open.ts";
import { type CommonFlags, withMaxRequests, withTargetFlags } from "./flags.ts";
import { defineVerb } from "./verb.ts";

/** `discover`: what the target shows for checks and load to work with, and what is missing for which. */
export const discover = defineVerb<CommonFlags>({
  flags: (command) => withMaxRequests(withTargetFlags(command)),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    await using opened = await openTarget(settings);
    const redaction = redactionFor(opened.target.keys);
    const progress = (line: string): void => {
      io.stderr.write(`${redaction.redact(line)}\n`);
    };
    const { maxRequests } = settings;
    const found = await discoverTarget({ target: opened.target, maxRequests, progress, signal: io.signal });
    const { discovered } = redactValue(found, redaction);
    io.stdout.write(
      flags.json === true
        ? `${JSON.stringify(discovered, null, 2)}\n`
        : renderDiscovered(discovered, consoleStyle(io)),
    );
    return 0;
  },
});
