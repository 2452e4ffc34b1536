import { basename } from "node:path";
import { gitlabJob } from "./ci-files.ts";
import { generatedKeyVariables } from "./config-file.ts";
import type { Project, Written } from "./project.ts";

export interface Done {
  readonly project: Project;
  readonly config: { readonly path: string; readonly written: Written; readonly hasAddress: boolean };
  readonly files: readonly { readonly path: string; readonly written: Written }[];
}

/** The output of `init`: what was written, and the next steps in order. */
export function renderDone({ project, config, files }: Done): string {
  const lines = [config, ...files].map(({ path, written }) =>
    written === "wrote" ? `wrote  ${path}` : `kept   ${path}, which already existed`,
  );
  const steps = nextSteps({ project, config, files }).map((step, index) => `  ${index + 1}. ${step}`);
  return [...lines, "", "Next:", ...steps, ""].join("\n");
}

function nextSteps({ project, config, files }: Done): string[] {
  const { installed, ci, includesJob } = project;
  const steps = installed ? [] : ["npm install -D shelfcheck"];
  steps.push(
    "npx shelfcheck gate --target embedded   (to try it on the built-in reference service, without a key)",
  );
  if (config.written === "wrote") {
    if (!config.hasAddress) steps.push(`Set the base URL of your service in ${config.path}.`);
    steps.push(`Set the environment variable ${generatedKeyVariables.primary} to its API key.`);
  }
  steps.push("npx shelfcheck doctor --target staging   (shows what is missing, and how to fix it)");
  steps.push("Keep reports/ out of version control.");
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
