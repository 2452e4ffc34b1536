import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
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
