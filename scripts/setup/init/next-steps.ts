import { basename } from "node:path";
import { keyVariables } from "./config-file.ts";
import type { Project, Written } from "./project.ts";

/** What `init` did, as the text after it needs to know. */
export interface Done {
  readonly project: Project;
  readonly config: { readonly path: string; readonly written: Written; readonly hasAddress: boolean };
  readonly files: readonly { readonly path: string; readonly written: Written }[];
}

/** What was written, and what is left to do, in its order. */
export function renderDone({ project, config, files }: Done): string {
  const lines = [config, ...files].map(({ path, written }) =>
    written === "wrote" ? `wrote  ${path}` : `kept   ${path}, which was there already`,
  );
  const steps = nextSteps({ project, config, files }).map((step, index) => `  ${index + 1}. ${step}`);
  return [...lines, "", "Next:", ...steps, ""].join("\n");
}

function nextSteps({ project, config, files }: Done): string[] {
  const { installed, ci } = project;
  const steps = installed ? [] : ["npm install -D shelfcheck"];
  steps.push("npx shelfcheck gate --target embedded   (how it looks: the reference service, no key needed)");
  if (config.written === "wrote") {
    if (!config.hasAddress) steps.push(`Put the address of your service into ${config.path}.`);
    steps.push(`Put its key into the environment variable ${keyVariables.primary}.`);
  }
  steps.push("npx shelfcheck doctor --target staging   (what is missing, and how to fix it)");
  steps.push("Leave reports/ out of version control.");
  switch (ci) {
    case "github":
      steps.push(`Set the secret ${keyVariables.primary} of the repository, for the workflow.`);
      break;
    case "gitlab":
      if (files.some(({ path, written }) => basename(path) === ".gitlab-ci.yml" && written === "kept")) {
        steps.push("See that .gitlab-ci.yml includes it: `include: [{ local: .gitlab/shelfcheck.yml }]`.");
      }
      steps.push(`Set the masked CI/CD variable ${keyVariables.primary} of the project.`);
      break;
    case "none":
      steps.push("For a CI file too: npx shelfcheck init --ci github, or --ci gitlab.");
      break;
    default:
      ci satisfies never;
  }
  return steps;
}
