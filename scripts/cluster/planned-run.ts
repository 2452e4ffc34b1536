import { createHash, randomBytes } from "node:crypto";
import { pointer, valueAt } from "../../schemas/json.ts";
import { UsageError } from "../errors.ts";
import type { LoadPlan } from "../load/plan.ts";
import type { PodEntry } from "./frames.ts";
import type { PodConnection } from "./pod-connection.ts";

/** What the pods of a run do, as its manifest plans it and as each pod reports it, by the names of the properties in messages. */
export interface PlannedRun {
  /** The id of the run, which is part of the names of its objects. */
  readonly run: string;
  readonly target: string;
  readonly pods: number;
  readonly scenario: string;
  /** Name, profile and seed as JSON. */
  readonly profile: string;
  /** Digests of the script and of the fixtures file. */
  readonly script: string;
  readonly fixtures: string;
}

/** The annotation of a TestRun that holds its plan. */
export const planAnnotation = "shelfcheck/plan";

/** A new id for a run. Random, so that manifests that are written twice make two runs. */
export function newRunId(): string {
  return randomBytes(6).toString("hex");
}

/** The plan of a run whose pods get these files. */
export function plannedRun(
  { run, plan, connection }: { run: string; plan: LoadPlan; connection: Pick<PodConnection, "baseUrl"> },
  files: Readonly<Record<string, string>>,
): PlannedRun {
  const { scenario, shards, profileName, profile, seed } = plan;
  return {
    run,
    target: connection.baseUrl.replace(/\/+$/, ""),
    pods: shards,
    scenario,
    profile: profileText(profileName, profile, seed),
    script: scriptDigestOf(files[`${scenario}.js`] ?? ""),
    fixtures: sha256(files["fixtures.json"] ?? ""),
  };
}

/** What a pod reports. */
export function ranBy({ run, baseUrl, sequence, facts, profile, script, fixtures }: PodEntry): PlannedRun {
  return {
    run,
    target: baseUrl,
    pods: sequence.split(",").length - 1,
    scenario: facts.scenario,
    profile: profileText(facts.profile, profile, facts.seed),
    script,
    fixtures,
  };
}

/** The properties in which a pod differs from a plan, or from what another pod ran. */
export function differencesBetween(pod: PodEntry, planned: PlannedRun): string[] {
  const ran = ranBy(pod);
  // Those of the plan: one that an earlier version wrote may have fewer.
  const names = Object.keys(planned) as (keyof PlannedRun)[];
  return names.filter((name) => ran[name] !== planned[name]);
}

/** In the order of the fields that JSON keeps, so that a profile that was written and read again has the same text. */
function profileText(name: string, profile: object, seed: number): string {
  return JSON.stringify([name, profile, seed]);
}

/** The digest that the bundler wrote into a script: that of its text before; an empty text if it has none. */
function scriptDigestOf(script: string): string {
  const found = new Set(script.match(/\b[0-9a-f]{64}\b/g));
  return [...found].find((one) => sha256(script.replaceAll(one, "@digest-of-the-script@")) === one) ?? "";
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Reads the plan from a manifest that `load --manifests` wrote.
 *
 * @throws UsageError when the text has no plan.
 */
export function readPlannedRun(manifest: string, file: string): PlannedRun {
  const text = valueAt(parsed(manifest), pointer("items", 1, "metadata", "annotations", planAnnotation));
  if (typeof text === "string") return JSON.parse(text) as PlannedRun;
  throw new UsageError({
    what: "The file has no plan of a run",
    where: `--plan ${file}`,
    fix: "Name the manifest that load --manifests wrote for this run, such as manifests/lookup.json.",
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
