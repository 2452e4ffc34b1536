import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { configNames } from "../../config/config-file.ts";
import type { CommandDefinition } from "./command.ts";

// The build lies one folder deeper than the sources.
const root = new URL(extname(import.meta.filename) === ".ts" ? "../../../" : "../../../../", import.meta.url);
const template = fileURLToPath(new URL("ci/shelfcheck.config.ts", root));

/** `init`: writes a commented config, unless there is one. */
export const init: CommandDefinition<object> = {
  flags: (command) => command,
  run: async (_flags, { cwd, stdout }) => {
    const known = configNames.find((name) => existsSync(join(cwd, name)));
    const name = known ?? "shelfcheck.config.ts";
    if (known === undefined) await copyFile(template, join(cwd, name));
    stdout.write(
      known === undefined
        ? `Written: ${name}. Set the base URL of your service in it, and its API key as STAGING_API_KEY.\n`
        : `Kept: ${name}, which existed.\n`,
    );
    stdout.write("Next: npx shelfcheck doctor shows what is missing. For CI: docs/ci.md of shelfcheck.\n");
    return 0;
  },
};
