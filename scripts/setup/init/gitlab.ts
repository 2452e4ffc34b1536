import type { CiFacts } from "./ci-file.ts";
import { keyVariables } from "./config-text.ts";

/** `.gitlab/shelfcheck.yml`, and `ci/gitlab.yml` of the package: the gate as one job, to be included. */
export function renderGitlabJob({ folder, installed, version }: CiFacts): string {
  const install = installed ? "npm ci" : `npm install --no-save shelfcheck@${version}`;
  return `# May it go out? One job that fails when the service breaks its spec or a threshold.
# The keys are masked CI/CD variables of the project, under the names that shelfcheck.config.ts reads:
# ${Object.values(keyVariables).join(", ")}.
shelfcheck:
  stage: test
  image: node:24
  timeout: 30 minutes
  # Two runs at once would share the service's rate limit and disturb each other.
  resource_group: shelfcheck
  variables:
    SHELFCHECK_FOLDER: ${JSON.stringify(folder)}
    SHELFCHECK_TARGET: staging
    XDG_CACHE_HOME: $CI_PROJECT_DIR/.cache
  # k6, which shelfcheck downloads or builds once.
  cache:
    key: shelfcheck-k6-${version}
    paths:
      - .cache/shelfcheck/
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - cd "$SHELFCHECK_FOLDER"
    - ${install}
    - npx --no-install shelfcheck gate --target="$SHELFCHECK_TARGET" --out="$CI_PROJECT_DIR/.shelfcheck"
  # An artifact keeps no links, and \`latest\` is one.
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
