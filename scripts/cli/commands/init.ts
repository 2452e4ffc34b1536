import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { Option } from "commander";
import { parseBaseUrl } from "../../config/base-url.ts";
import { configNames } from "../../config/config-file.ts";
import { defaults } from "../../config/settings.ts";
import { type CiKind, ciFilesFor, ciKinds, gitlabJob } from "../../setup/init/ci-files.ts";
import { generatedKeyVariables, renderConfig } from "../../setup/init/config-file.ts";
import {
  addLine,
  hasLine,
  lookAtProject,
  type Project,
  type Written,
  writeWhereNone,
} from "../../setup/init/project.ts";
import { version } from "../../version.ts";
import { defineCommand } from "./command.ts";
import { collect } from "./flags.ts";

/** The folder of the reports, as a line of .gitignore. */
const ignored = `${defaults.out}/`;

interface InitFlags {
  readonly ci?: CiKind;
  readonly baseUrl?: string;
  readonly category?: readonly string[];
  readonly gitignore?: boolean;
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
      .option("--category <category>", "category to browse; may be repeated", collect)
      .option("--gitignore", `add ${ignored} to .gitignore`),
  run: async (flags, io) => {
    const baseUrl = flags.baseUrl === undefined ? undefined : parseBaseUrl(flags.baseUrl, "--base-url");
    const detected = await lookAtProject(io.cwd);
    const project = flags.ci === undefined ? detected : { ...detected, ci: flags.ci };
    const { root, folder, type, ci, stage } = project;
    const path =
      configNames.find((name) => existsSync(join(io.cwd, name))) ??
      (type === "commonjs" ? "shelfcheck.config.mts" : "shelfcheck.config.ts");
    const text = renderConfig({ baseUrl, categories: flags.category ?? [] });
    const written = await writeWhereNone(io.cwd, { path, text });
    const files = [];
    for (const file of ciFilesFor(ci, { folder, version, config: path, stage })) {
      const shown = relative(io.cwd, join(root, file.path));
      files.push({ path: shown, written: await writeWhereNone(root, file) });
    }
    const gitignore = join(io.cwd, ".gitignore");
    if (flags.gitignore === true) {
      files.push({ path: ".gitignore", written: await addLine(gitignore, ignored) });
    }
    const config = { path, written, hasAddress: baseUrl !== undefined };
    io.stdout.write(renderDone({ project, config, files, isIgnored: await hasLine(gitignore, ignored) }));
    return 0;
  },
});

/** What was written, and about which project. */
interface Done {
  readonly project: Project;
  readonly config: { readonly path: string; readonly written: Written; readonly hasAddress: boolean };
  readonly files: readonly { readonly path: string; readonly written: Written }[];
  /** The reports are out of version control. */
  readonly isIgnored: boolean;
}

/** The output of `init`: what was written, and the next steps in order. */
function renderDone({ project, config, files, isIgnored }: Done): string {
  const lines = [config, ...files].map(({ path, written }) =>
    written === "wrote"
      ? `wrote  ${path}`
      : `kept   ${path}, which already ${path === ".gitignore" ? "has the line" : "existed"}`,
  );
  const steps = nextSteps({ project, config, files, isIgnored }).map(
    (step, index) => `  ${index + 1}. ${step}`,
  );
  return [...lines, "", "Next:", ...steps, ""].join("\n");
}

function nextSteps({ project, config, files, isIgnored }: Done): string[] {
  const { installed, ci, includesJob } = project;
  // What the CI file starts with, `npm ci`, has to find the package.
  const steps = installed
    ? []
    : [`npm install -D ./vendor/shelfcheck-${version}.tgz   (docs/ci.md: Install)`];
  steps.push(
    "npx shelfcheck gate --target embedded   (to try it on the built-in reference service, without a key)",
  );
  if (config.written === "wrote") {
    if (!config.hasAddress) steps.push(`Set the base URL of your service in ${config.path}.`);
    steps.push(`Set the environment variable ${generatedKeyVariables.primary} to its API key.`);
  }
  steps.push("npx shelfcheck doctor --target staging   (shows what is missing, and how to fix it)");
  if (!isIgnored) {
    steps.push(`Keep ${ignored} out of version control: npx shelfcheck init --gitignore`);
  }
  switch (ci) {
    case "github":
      steps.push(`Add the repository secret ${generatedKeyVariables.primary} for the workflow.`);
      break;
    case "gitlab":
      if (
        !includesJob &&
        files.some(({ path, written }) => basename(path) === ".gitlab-ci.yml" && written === "kept")
      ) {
        steps.push(`Make .gitlab-ci.yml include it: include: [{ local: ${gitlabJob} }]`);
      }
      steps.push(`Set the masked CI/CD variable ${generatedKeyVariables.primary} of the project.`);
      break;
    case "none":
      steps.push("To add a CI file: npx shelfcheck init --ci github, or --ci gitlab.");
      break;
    default:
      ci satisfies never;
  }
  return steps;
}
