import { generatedKeyVariables } from "./config-file.ts";

export const ciKinds = ["github", "gitlab", "none"] as const;

export type CiKind = (typeof ciKinds)[number];

/** The job for GitLab, which .gitlab-ci.yml includes. */
export const gitlabJob = ".gitlab/shelfcheck.yml";

/** What a CI file depends on. */
export interface CiFacts {
  /** Folder of the config relative to the repository, with slashes; `.` for the repository itself. */
  readonly folder: string;
  readonly version: string;
  readonly config: string;
  /** Stage of the job on GitLab. Default: test */
  readonly stage?: string | undefined;
}

/** A file to write: its path relative to the repository, and its text. */
export interface CiFile {
  readonly path: string;
  readonly text: string;
}

/** The files for a CI system. The first one contains the job. */
export function ciFilesFor(kind: CiKind, facts: CiFacts): readonly CiFile[] {
  switch (kind) {
    case "github":
      return [{ path: ".github/workflows/shelfcheck.yml", text: renderGithubWorkflow(facts) }];
    case "gitlab":
      return [
        { path: gitlabJob, text: renderGitlabJob(facts) },
        { path: ".gitlab-ci.yml", text: `include:\n  - local: ${gitlabJob}\n` },
      ];
    case "none":
      return [];
    default:
      return kind satisfies never;
  }
}

/** `.github/workflows/shelfcheck.yml`: runs the gate for each pull request, with the action in the package. */
export function renderGithubWorkflow({ folder, config }: CiFacts): string {
  const inFolder = folder === "." ? "" : `\n        working-directory: ${JSON.stringify(folder)}`;
  const withFolder = folder === "." ? "" : `\n          working-directory: ${JSON.stringify(folder)}`;
  const action = JSON.stringify(`./${folder === "." ? "" : `${folder}/`}node_modules/shelfcheck`);
  return `# Release gate: fails when the service violates its spec or exceeds a limit on load.
name: shelfcheck

on:
  pull_request:
  push:
    branches: [main]
  workflow_dispatch:

permissions:
  contents: read

# One run at a time: two would share the service's rate limit.
concurrency: shelfcheck-staging

jobs:
  gate:
    # Pull requests from forks have no access to secrets, and therefore no key.
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
      - run: npm ci${inFolder}
      - uses: ${action}
        with:
          target: staging
          # Empty: Node is set up above.
          node-version: ""${withFolder}
        env:
          # Secrets of the repository, with the names that ${config} reads.
          ${generatedKeyVariables.primary}: \${{ secrets.${generatedKeyVariables.primary} }}
          # Enable these together with the same keys in ${config}: a secret that does not exist is an empty key.
          # ${generatedKeyVariables.sameOrg}: \${{ secrets.${generatedKeyVariables.sameOrg} }}
          # ${generatedKeyVariables.otherOrg}: \${{ secrets.${generatedKeyVariables.otherOrg} }}
`;
}

/** `.gitlab/shelfcheck.yml`, and `ci/gitlab.yml` of the package: the gate as a job to include. */
export function renderGitlabJob({ folder, version, config, stage = "test" }: CiFacts): string {
  return `# Release gate: fails when the service violates its spec or exceeds a limit on load.
# The key is a masked CI/CD variable of the project, with the name that ${config} reads: ${generatedKeyVariables.primary}.
# Add ${generatedKeyVariables.sameOrg} and ${generatedKeyVariables.otherOrg} when they are enabled there.
shelfcheck:
  stage: ${JSON.stringify(stage).replace(/^"([\w-]+)"$/, "$1")}
  image: node:24
  timeout: 30 minutes
  # One run at a time: two would share the service's rate limit.
  resource_group: shelfcheck
  variables:
    SHELFCHECK_FOLDER: ${JSON.stringify(folder)}
    SHELFCHECK_TARGET: staging
    XDG_CACHE_HOME: $CI_PROJECT_DIR/.cache
  # For k6, which shelfcheck downloads or builds once.
  cache:
    key: shelfcheck-k6-${version}
    paths:
      - .cache/shelfcheck/
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - cd "$SHELFCHECK_FOLDER"
    - npm ci
    - npx --no-install shelfcheck gate --target="$SHELFCHECK_TARGET" --out="$CI_PROJECT_DIR/.shelfcheck"
  # \`latest\` is a symbolic link, which artifacts do not keep.
  after_script:
    - if [ -d .shelfcheck/latest ]; then cp -RL .shelfcheck/latest shelfcheck-report; fi
  artifacts:
    when: always
    expose_as: shelfcheck report
    paths:
      - shelfcheck-report/
    reports:
      junit: shelfcheck-report/junit.xml
    expire_in: 30 days
`;
}
