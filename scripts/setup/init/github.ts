import type { CiFacts } from "./ci-file.ts";
import { keyVariables } from "./config-text.ts";

/** `.github/workflows/shelfcheck.yml`: the gate before each merge, by the action that comes with the package. */
export function renderGithubWorkflow({ folder, installed, version }: CiFacts): string {
  const inFolder = folder === "." ? "" : `\n        working-directory: ${JSON.stringify(folder)}`;
  const withFolder = folder === "." ? "" : `\n          working-directory: ${JSON.stringify(folder)}`;
  const action = JSON.stringify(`./${folder === "." ? "" : `${folder}/`}node_modules/shelfcheck`);
  const install = installed ? "npm ci" : `npm install --no-save shelfcheck@${version}`;
  return `# May it go out? One job that fails when the service breaks its spec or a threshold.
name: shelfcheck

on:
  pull_request:
  push:
    branches: [main]
  workflow_dispatch:

permissions:
  contents: read

# Two runs at once would share the service's rate limit and disturb each other.
concurrency: shelfcheck-staging

jobs:
  gate:
    # Pull requests from forks get no secrets, and so no key.
    if: github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: "24"
      - run: ${install}${inFolder}
      - uses: ${action}
        with:
          target: staging
          # Set up above.
          node-version: ""${withFolder}
        env:
          # Secrets of the repository, under the names that shelfcheck.config.ts reads.
          ${keyVariables.primary}: \${{ secrets.${keyVariables.primary} }}
          ${keyVariables.sameOrg}: \${{ secrets.${keyVariables.sameOrg} }}
          ${keyVariables.otherOrg}: \${{ secrets.${keyVariables.otherOrg} }}
`;
}
