import { expect, test } from "vitest";
import { environmentOf } from "./environment.ts";

const github = {
  GITHUB_SHA: "abc",
  GITHUB_REF_NAME: "7/merge",
  GITHUB_HEAD_REF: "fix-paging",
  GITHUB_SERVER_URL: "https://github.example",
  GITHUB_REPOSITORY: "shop/catalog",
  GITHUB_RUN_ID: "42",
};
const jobUrl = "https://github.example/shop/catalog/actions/runs/42";
const gitlab = {
  CI_COMMIT_SHA: "def",
  CI_COMMIT_REF_NAME: "main",
  CI_JOB_URL: "https://gitlab.example/jobs/1",
};

test.each([
  ["GitHub, a pull request", github, { commit: "abc", branch: "fix-paging", jobUrl }],
  ["GitHub, a push", { ...github, GITHUB_HEAD_REF: "" }, { commit: "abc", branch: "7/merge", jobUrl }],
  ["GitLab", gitlab, { commit: "def", branch: "main", jobUrl: "https://gitlab.example/jobs/1" }],
  ["no CI", {}, {}],
])("%s", (_name, env, expected) => {
  const { host, node, ...ci } = environmentOf({ env, nodeVersion: "26.10.0" });
  expect(ci).toEqual(expected);
  expect(node).toBe("26.10.0");
  expect(host).toMatch(/^.+, \d+ cores, [\d.]+ GiB, \w+ \w+$/);
});

test("the command line is quoted for a shell, without secrets", () => {
  const argv = [
    "gate",
    "--base-url",
    "https://ada:pass-1@catalog.example/v1",
    "--category",
    "home & garden",
    "--k6-arg=-e API_TOKEN=abc123",
  ];
  expect(environmentOf({ env: {}, nodeVersion: "26.10.0", argv })).toMatchObject({
    commandLine:
      "shelfcheck gate --base-url https://…@catalog.example/v1 --category 'home & garden' '--k6-arg=-e API_TOKEN=…'",
    isIncomplete: true,
  });
  const { isIncomplete } = environmentOf({ env: {}, nodeVersion: "26.10.0", argv: ["gate", "--rate", "5"] });
  expect(isIncomplete).toBeUndefined();
});

test("the flags that name target and files are kept, without one that has a secret", () => {
  const origin = { env: {}, nodeVersion: "26.10.0" };
  const flags = { target: "staging", baseUrl: "https://ada:pass-1@catalog.example/v1", config: undefined };
  expect(environmentOf(origin, flags).placeFlags).toEqual({ target: "staging" });
  expect(environmentOf(origin)).not.toHaveProperty("placeFlags", expect.anything());
});
