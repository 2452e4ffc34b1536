import { describe, expect, test } from "vitest";
import { requirements } from "../../../conformance/requirements/all.ts";
import { finishedRun } from "../../../test/support/finished-run.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleResults,
} from "../../../test/support/samples/example.ts";
import { recordedRun } from "../../../test/support/samples/runs.ts";
import { UsageError } from "../../errors.ts";
import { plainStyle } from "../../report/terminal.ts";
import { capabilities } from "../doors.ts";
import { explanationsOf, renderExplanations } from "./explain.ts";

const additions = await Promise.all(capabilities.flatMap((one) => one.adds?.explain?.() ?? []));
const known = additions.flatMap(({ explains }) => explains ?? []);
const textOf = (name: string) => renderExplanations(explanationsOf(name, known), plainStyle(100));

test.each([
  [
    "batch.over-size",
    /^batch\.over-size: Endpoints: POST \/v1\/products\/batch-lookup, MUST$/m,
    /^ {2}A batch of more than 50 items returns 400\.$/m,
    /^ {4}batch\.over-size\/fifty-one$/m,
    /It catches the faults .*batch-51-accepted/,
  ],
  ["service.allow-list", /Not judged: The list is not public/],
  ["limits.numbers", /Not judged: the specification does not show the rate limit/],
])("%s", (name, ...says) => {
  for (const text of says) expect(textOf(name)).toMatch(text);
});

test("a check: its requirement with only that check; a section, by key or heading", () => {
  const found = explanationsOf("query.limit/small-limits", known);
  expect(found).toMatchObject([{ id: "query.limit", checks: [{ id: "query.limit/small-limits" }] }]);
  expect(found).toHaveLength(1);
  for (const name of ["limits", "Limits"])
    expect(new Set(explanationsOf(name, known).map(({ id }) => id.split(".")[0]))).toEqual(
      new Set(["limits"]),
    );
});

test("every requirement can be explained, within the width", () => {
  for (const { id } of requirements) {
    const lines = textOf(id).split("\n");
    expect(lines.length, id).toBeGreaterThan(2);
    expect(
      lines.filter((line) => line.length > 100),
      id,
    ).toEqual([]);
  }
});

test.each(["batch.oversize", "batch.over-size/fifty", "erors"])(
  "the unknown name %s is rejected, with the nearest known one",
  (name) => {
    const act = () => explanationsOf(name, known);
    expect(act).toThrow(UsageError);
    expect(act).toThrow(/Did you mean (batch\.over-size(\/fifty-one)?|errors)\?/);
  },
);

describe("explain RUN ID: what a run found", () => {
  const failing = exampleCheck({
    id: "errors.shape/unknown-route",
    verdict: "fail",
    says: "It is the fact.",
  });
  const passed = exampleCheck({ id: "errors.shape/every-response", title: "every answer" });
  const results = exampleResults({
    exitCode: 1,
    requirements: [
      exampleRequirement({ id: "errors.shape", verdict: "fail", checks: [failing, passed] }),
      exampleRequirement({ id: "errors.codes" }),
    ],
    load: [exampleLoad()],
  });

  test.each([
    ["errors.shape", "## It is the fact\n"],
    ["errors.shape/unknown-route", "## It is the fact\n"],
    ["errors", "## It is the fact\n"],
    ["Errors", "## It is the fact\n"],
    ["load.lookup.smoke", "## Passed: Verdict of Lookup (smoke)\n"],
  ])("%s as a ticket", async (id, text) => {
    await using finished = await finishedRun(results);
    const { exitCode, stdout } = await finished.run(["explain", "latest", id, "--markdown"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(text) });
    // When the ticket is read, `latest` will be another run.
    expect(stdout).not.toContain("latest");
    expect(stdout.match(/^## /gm)).toHaveLength(1);
  });

  test("as text, and as JSON", async () => {
    await using finished = await finishedRun(results);
    expect((await finished.run(["explain", "latest", "errors"])).stdout).toContain("FAILED errors.shape");
    const { stdout } = await finished.run(["explain", "latest", "errors.shape", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: "errors.shape", verdict: "fail", said: [{ message: "It is the fact." }] },
    ]);
  });

  test("a run of any kind lists what it found", async () => {
    await using client = await finishedRun(recordedRun("client"));
    expect((await client.run(["explain", "latest"])).stdout).toMatch(/^failed +limits\.respect\n/m);
    expect((await client.run(["explain", "latest", "limits.respect"])).stdout).toContain(
      "FAILED limits.respect",
    );
    const ticket = await client.run(["explain", "latest", "limits.respect", "--markdown"]);
    expect(ticket).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("**Expected**") });
  });

  test("without an id, every section and requirement in a line", async () => {
    await using finished = await finishedRun(results);
    const { exitCode, stdout } = await finished.run(["explain"]);
    expect(exitCode).toBe(0);
    for (const { id } of requirements) expect(stdout).toMatch(new RegExp(`^  ${id} +(MUST|SHOULD|MAY)`, "m"));
    expect(stdout).toMatch(/^limits: Limits$/m);
    expect(stdout).toMatch(/^ {2}limits\.numbers +\w+, not judged$/m);
  });

  test.each([
    [["latest", "errors.shap"], "Did you mean errors.shape?"],
    [["latest", "--markdown"], "needs a run and an id"],
    [["reports/latest", "--config", "none.ts"], "The configuration file does not exist"],
    [["latest", "errors.shape", "query"], "Too many arguments"],
  ])("%j: exit 2", async (argv, text) => {
    await using finished = await finishedRun(results);
    const { exitCode, stderr } = await finished.run(["explain", ...argv]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(text) });
  });
});
