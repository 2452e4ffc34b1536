import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { Option } from "commander";
import { parseBaseUrl } from "../../config/base-url.ts";
import { configNames } from "../../config/config-file.ts";
import { type CiKind, ciFilesFor, ciKinds } from "../../setup/init/ci-files.ts";
import { renderConfig } from "../../setup/init/config-file.ts";
import { renderDone } from "../../setup/init/next-steps.ts";
import { lookAtProject, writeWhereNone } from "../../setup/init/project.ts";
import { version } from "../../version.ts";
import { defineCommand } from "./command.ts";
import { collect } from "./flags.ts";

interface InitFlags {
  readonly ci?: CiKind;
  readonly baseUrl?: string;
  readonly category?: readonly string[];
}

/** `init`: writes a commented config and a CI file, unless they exist. */
export const init = defineCommand<InitFlags>({
  flags: (command) =>
    command
      .addOption(
        new Option("--ci <system>", "CI file to write (default: detected from the repository)").choices(
          ciKinds,
        ),
      )
      .option("--base-url <url>", "base URL of your service, ending in /v1")
      .option("--category <category>", "category to browse; may be repeated", collect),
  run: async (flags, io) => {
    const baseUrl = flags.baseUrl === undefined ? undefined : parseBaseUrl(flags.baseUrl, "--base-url");
    const detected = await lookAtProject(io.cwd);
    const project = flags.ci === undefined ? detected : { ...detected, ci: flags.ci };
    const { root, folder, installed, type, ci } = project;
    const path =
      configNames.find((name) => existsSync(join(io.cwd, name))) ??
      (type === "commonjs" ? "shelfcheck.config.mts" : "shelfcheck.config.ts");
    const text = renderConfig({ baseUrl, categories: flags.category ?? [] });
    const written = await writeWhereNone(io.cwd, { path, text });
    const files = [];
    for (const file of ciFilesFor(ci, { folder, installed, version, config: path })) {
      const shown = relative(io.cwd, join(root, file.path));
      files.push({ path: shown, written: await writeWhereNone(root, file) });
    }
    const config = { path, written, hasAddress: baseUrl !== undefined };
    io.stdout.write(renderDone({ project, config, files }));
    return 0;
  },
});
