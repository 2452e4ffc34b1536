import { readFileSync } from "node:fs";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { AnyResults, Results } from "../../../schemas/contracts/results.ts";
import { exampleCheck, exampleRequirement, judgedResults } from "./example.ts";

/** A run of the reference service, as ../record.ts recorded it. Texts of a target, a config or a waiver end in `marker`. */
export function recordedRun<Kind extends AnyResults = Results>(name: string, marker = ""): Kind {
  const text = readFileSync(new URL(`${name}.json`, import.meta.url), "utf8");
  return JSON.parse(text, (field, value) => {
    if (typeof value === "string" && theirs.test(field)) return value + marker;
    return field === "retailers" && Array.isArray(value) ? value.map((one) => one + marker) : value;
  });
}

/** Fields whose texts are not ours. */
const theirs = /^(name|baseUrl|body|message|actual|expected|text|reason|owner|ticket|where|content-type)$/;

/**
 * A gate that fails in many ways: two recorded runs, and what the reference service cannot show: an error of ours, and a failure
 * that comes and goes.
 */
export function failingRun(marker = "", change: Partial<Results<Finding>> = {}): Results {
  const { summary: _, requirements, ...run } = recordedRun("failing", marker);
  const [broken] = [{ code: "harness-error", actual: `x${marker} is not a function` }] as const;
  const error = exampleCheck({ id: "query.url/known", verdict: "error", findings: [broken] });
  for (const check of requirements.find(({ id }) => id === "by-id.unknown-product")?.checks ?? [])
    check.attempts = { failed: 2, total: 5 };
  return judgedResults({
    ...run,
    command: "gate",
    requirements: [
      ...requirements,
      exampleRequirement({ id: "query.url", verdict: "error", checks: [error] }),
    ],
    load: recordedRun("load", marker).load,
    ...change,
  });
}
