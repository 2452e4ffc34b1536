import { open, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Target } from "../../conformance/client/target.ts";
import { readFindingLine } from "../../scenarios/lib/log.ts";
import { frameMark, type PodName, type PodResult } from "../../scenarios/lib/pod-result.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { isObject, jsonIn } from "../../schemas/json.ts";
import { keyVariables, type TextRedaction } from "../../schemas/redaction.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { defaults, type Settings } from "../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { profileFingerprint } from "../load/conditions.ts";
import { createEvidence } from "../load/k6-process.ts";
import { k6ExitScriptException, withExpectedLimit } from "../load/rules.ts";
import { loadResult } from "../runs/stages/load-stage.ts";
import { recordRun } from "../runs/stages/record.ts";
import { mergedSummaries } from "./merge.ts";

/**
 * `load --collect FROM`: writes results and reports from the logs of the pods of a run. Sends nothing, so it
 * needs neither a key nor the permission to load.
 * @throws UsageError without logs, CannotRunError when they contain no result, or are those of several runs.
 */
export async function collectPods(
  from: string,
  { settings, io, json }: { settings: Settings; io: Io; json: boolean },
): Promise<ExitCode> {
  const logs = await readPodLogs(resolve(io.cwd, from), settings.redaction);
  const runs = [...new Set(logs.pods.map(({ run }) => run))];
  if (runs.length === 0)
    throw new CannotRunError({
      what: "The logs hold no complete result of a pod",
      where: from,
      fix: "Write the manifests with this version of shelfcheck (load --manifests), and collect the whole log of each pod, as ci/kubernetes.sh does.",
    });
  if (runs.length > 1) {
    const what = `The logs are those of ${runs.length} runs (${runs.join(", ")})`;
    throw new CannotRunError({ what, where: from, fix: "Collect the logs of one run only." });
  }
  const { target, result } = collectRun(logs, settings);
  const choice = { kind: "remote", target, permission: { baseUrl: target.baseUrl } } as const;
  const { baseUrl } = target;
  // For the commands of the report: a target that the settings do not name has only an address.
  const ofTarget = target === settings.choice.target ? {} : { target: undefined, baseUrl };
  const placeFlags = { ...settings.placeFlags, ...ofTarget };
  const known = { ...settings, choice, placeFlags, missingKeys: [], targetIsDefault: false };
  return recordRun({ command: "load", settings: known, io, json }, async ({ state }) => {
    state.load.push(withExpectedLimit(result, target.expectedLimit));
  });
}

/**
 * Merges the results of pods that shared a run and judges the whole, without the verdicts of single pods. A
 * run with a missing or duplicate part is invalid, and the findings name it.
 */
export function collectRun(
  { pods, reported, evidence: lines }: Awaited<ReturnType<typeof readPodLogs>>,
  { choice }: Pick<Settings, "choice">,
): { readonly target: Target; readonly result: LoadResult } {
  const [first] = pods;
  if (first === undefined) throw new TypeError("no pod to collect");
  const { baseUrl, profile, sequence, summary: ofFirst } = first;
  // A target that the settings do not name has only an address.
  const { timeoutMilliseconds } = defaults;
  const { host: name } = new URL(baseUrl);
  const bare = { baseUrl, name, keys: {}, keyVariables, categories: [], fieldNames: {} };
  const target = choice.target?.baseUrl === baseUrl ? choice.target : { ...bare, timeoutMilliseconds };
  const borders = sequence.split(",");
  const segments = borders.slice(1).map((end, place) => `${borders[place]}:${end}`);
  const ran = Map.groupBy(pods, ({ segment }) => placeOf(segment, segments.length));
  const counted = [...ran.values()].flatMap(([one]) => one ?? []);
  const measured = counted.map(measuredBy);
  const evidence = createEvidence(target);
  for (const line of lines) evidence.take(line);
  const result = loadResult({
    scenario: ofFirst.scenario as ScenarioId,
    profileName: ofFirst.profile,
    profile,
    exit: {
      // The scripts report an error only before they throw, and then there is nothing to judge.
      code: reported.length > 0 ? k6ExitScriptException : 0,
      interrupted: false,
      reported: [...reported, ...segmentProblems(segments, ran)],
    },
    summary: mergedSummaries(counted.map(({ summary }) => summary)),
    evidence: evidence.kept,
    // Runs of pods differ from runs on one machine, where the generator is another one.
    conditions: {
      profile: profileFingerprint(profile),
      seed: String(ofFirst.seed),
      shards: String(segments.length),
      host: "pods",
    },
    starved: measured.flatMap(({ starved }) => starved),
  });
  const startedAt = Math.min(...measured.map((one) => one.startedAt));
  const endedAt = Math.max(...measured.map((one) => one.endedAt));
  return {
    target,
    result: {
      ...result,
      startedAt: new Date(startedAt).toISOString(),
      seconds: (endedAt - startedAt) / 1000,
    },
  };
}

/** What one pod did, and whether it was short of CPU: a late pod among many does not show in the sum. */
function measuredBy({ segment: subject, summary, finishedAt: endedAt }: LoggedPod) {
  const expected = summary.thresholds.find(({ measure }) => measure === "schedule_lag")?.limit;
  const actual = summary.metrics.schedule_lag?.["p(95)"];
  const starved: Finding[] =
    actual === undefined || expected === undefined || actual <= expected
      ? []
      : [{ code: "pod-starved", subject, actual, expected, unit: "ms" }];
  const startedAt = endedAt - summary.durationMilliseconds;
  return { startedAt, endedAt, starved };
}

/** Findings about segments that are missing, damaged or duplicate. */
function segmentProblems(
  segments: readonly string[],
  ran: ReadonlyMap<number, readonly LoggedPod[]>,
): Finding[] {
  return segments.flatMap((subject, place): Finding[] => {
    const actual = ran.get(place)?.length ?? 0;
    if (actual === 0) return [{ code: "pod-result-missing", subject }];
    return actual === 1 ? [] : [{ code: "pod-result-doubled", subject, actual }];
  });
}

/** The number of a segment's pod, from 0. k6 reduces some fractions: `2/4:3/4` may be `1/2:3/4`. */
function placeOf(segment: string, pods: number): number {
  const [over = 0, under = 1] = (segment.split(":")[0] ?? "").split("/").map(Number);
  return Math.round((over / under) * pods);
}

/** A pod with its result. */
type LoggedPod = PodName & PodResult;

const mostEvidence = 500;

/**
 * Reads logs line by line in any order: a folder with one file for each pod, or one file with all.
 * @returns Pods whose result is whole; lines about invalid responses, without keys; findings of the scripts.
 * @throws UsageError when there is no such file or folder.
 */
export async function readPodLogs(from: string, redaction: TextRedaction) {
  const parts = new Map<string, string[]>();
  const evidence: string[] = [];
  const reported = new Map<string, Finding>();
  for (const file of await filesAt(from))
    for await (const line of (await open(file)).readLines()) {
      // A collector may have joined two lines.
      for (const text of line.split(frameMark).slice(1)) takeFrame(text, parts);
      const message = messageOf(line);
      if (message === undefined) continue;
      const clean = redaction.redact(message);
      const finding = readFindingLine(clean);
      if (finding !== undefined) reported.set(JSON.stringify(finding), finding);
      else if (evidence.length < mostEvidence) evidence.push(clean);
    }
  return { pods: [...parts].flatMap(podOf), evidence, reported: [...reported.values()] };
}

async function filesAt(from: string): Promise<string[]> {
  const found = await stat(from).catch((cause: Error) => {
    throw new UsageError({ what: "There are no logs", where: from, fix: cause.message }, { cause });
  });
  if (!found.isDirectory()) return [from];
  const entries = await readdir(from, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(from, entry.name)] : []));
}

const frame = /^([\w.-]+ [0-9a-f]+ \d+(?:\/\d+)?:\d+(?:\/\d+)?) (\d+)\/(\d+) ([A-Za-z0-9+/=]*)/;

/** Puts the data of a frame into its place among the parts of its pod. */
function takeFrame(text: string, parts: Map<string, string[]>): void {
  const [, name = "", number, total, data = ""] = frame.exec(text) ?? [];
  if (name === "") return;
  const texts = parts.get(name) ?? Array.from({ length: Number(total) }, () => "");
  texts[Number(number) - 1] = data;
  parts.set(name, texts);
}

/** None for a result of which lines are missing or damaged. */
function podOf([name, texts]: readonly [string, readonly string[]]): LoggedPod[] {
  const [run = "", process = "", segment = ""] = name.split(" ");
  try {
    const result: PodResult = JSON.parse(`${gunzipSync(Buffer.from(texts.join(""), "base64"))}`);
    return [{ run, process, segment, ...result }];
  } catch {
    return [];
  }
}

/** The message of a JSON log line of k6, also after a collector's prefix; undefined for any other line. */
function messageOf(line: string): string | undefined {
  // Parsing is slow, and most lines are frames or do not come from our scripts.
  const from = line.includes('"msg":"shelfcheck-') ? line.indexOf("{") : -1;
  if (from < 0) return undefined;
  const entry = jsonIn(line.slice(from));
  return isObject(entry) && typeof entry.msg === "string" ? entry.msg : undefined;
}
