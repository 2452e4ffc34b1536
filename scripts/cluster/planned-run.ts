import { createHash, randomBytes } from "node:crypto";
import { parseAllDocuments } from "yaml";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject } from "../../schemas/json.ts";
import { UsageError } from "../errors.ts";
import type { LoadPlan } from "../load/plan.ts";
import type { PodEntry } from "./frames.ts";

/** What the pods of a run should send, as its manifest records it. Compared with what each pod reports of itself. */
export interface PlannedRun {
  /** The id of the run, which is part of the names of its objects. */
  readonly run: string;
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
export function plannedRun(run: string, plan: LoadPlan, files: Readonly<Record<string, string>>): PlannedRun {
  const { scenario, shards, profileName, profile, seed } = plan;
  return {
    run,
    pods: shards,
    scenario,
    profile: profileText(profileName, profile, seed),
    script: scriptDigestOf(files[`${scenario}.js`] ?? ""),
    fixtures: sha256(files["fixtures.json"] ?? ""),
  };
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

/** What a pod reports of the planned properties, by their names in messages. */
const reported = {
  run: ({ run }: PodEntry) => run,
  pods: ({ sequence }: PodEntry) => sequence.split(",").length - 1,
  scenario: ({ facts }: PodEntry) => facts.scenario,
  profile: ({ profile, facts }: PodEntry) => profileText(facts.profile, profile, facts.seed),
  script: ({ script }: PodEntry) => script,
  fixtures: ({ fixtures }: PodEntry) => fixtures,
} as const satisfies Record<keyof PlannedRun, unknown>;

/** A finding for each way in which pods differ from the plan, with the number of such pods. */
export function unplannedAmong(pods: readonly PodEntry[], planned: PlannedRun): Finding[] {
  const names = Object.keys(reported) as (keyof PlannedRun)[];
  const differing = Map.groupBy(pods, (pod) =>
    names.filter((name) => reported[name](pod) !== planned[name]).join(" "),
  );
  differing.delete("");
  return [...differing].map(([differs, those]) => ({
    code: "pod-not-as-planned",
    subject: those[0]?.segment ?? "",
    details: { differs: differs.split(" ") },
    seen: { count: those.length, total: pods.length, of: "pods" },
  }));
}

/**
 * Reads the plan from a manifest that `load --manifests` wrote.
 *
 * @throws UsageError when the text has no plan.
 */
export function readPlannedRun(manifest: string, file: string): PlannedRun {
  for (const document of parseAllDocuments(manifest)) {
    const { metadata }: { metadata?: { annotations?: Record<string, unknown> } } = document.toJS() ?? {};
    const text = metadata?.annotations?.[planAnnotation];
    const plan: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    if (isPlannedRun(plan)) return plan;
  }
  throw new UsageError({
    what: "The file has no plan of a run",
    where: `--plan ${file}`,
    fix: "Name the manifest that load --manifests wrote for this run, such as manifests/lookup.yaml.",
  });
}

function isPlannedRun(value: unknown): value is PlannedRun {
  return isObject(value) && Object.keys(reported).every((name) => name in value);
}
