import { expect, test } from "vitest";
import { environmentOf } from "./environment.ts";

const github = {
  GITHUB_SHA: "abc",
  GITHUB_REF_NAME: "7/merge",
  GITHUB_HEAD_REF: "fix-paging",
};
const gitlab = {
  CI_COMMIT_SHA: "def",
  CI_COMMIT_REF_NAME: "main",
};

test.each([
  ["GitHub, a pull request", github, { commit: "abc", branch: "fix-paging" }],
  ["GitHub, a push", { ...github, GITHUB_HEAD_REF: "" }, { commit: "abc", branch: "7/merge" }],
  ["GitLab", gitlab, { commit: "def", branch: "main" }],
  ["no CI", {}, {}],
])("%s", (_name, env, expected) => {
  const { host, node, ...ci } = environmentOf({ env, nodeVersion: "26.10.0" });
  expect(ci).toEqual(expected);
  expect(node).toBe("26.10.0");
  expect(host).toMatch(/^.+, \d+ cores, \w+ \w+$/);
});

test("the command line is quoted for a shell, without secrets", () => {
  const argv = [
    "gate",
    "--base-url",
    "https://ada:pass-1@catalog.example/v1",
    "--category",
    "home & garden",
    "--k6-arg=-e API_TOKEN=abc123",
    ..."--token|abc|-H|Authorization: Bearer abc|-u|svc:abc|-u|client.py|http://key:80".split("|"),
  ];
  expect(environmentOf({ env: {}, nodeVersion: "26.10.0", argv })).toMatchObject({
    commandLine:
      "shelfcheck gate --base-url https://…@catalog.example/v1 --category 'home & garden' '--k6-arg=-e API_TOKEN=…' --token … -H 'Authorization: …' -u … -u client.py http://key:80",
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
