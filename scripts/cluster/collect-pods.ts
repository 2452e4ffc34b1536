import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Target } from "../../conformance/client/target.ts";
import { defaults, type Settings } from "../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../errors.ts";
import { fileProblem } from "../files.ts";
import type { Io } from "../io.ts";
import { withExpectedLimit } from "../load/expected-limit.ts";
import { recordRun } from "../runs/stages/record.ts";
import { type CollectedRun, collectRun } from "./collect.ts";
import { type PlannedRun, readPlannedRun } from "./planned-run.ts";
import { type PodLogs, readPodLogs } from "./pod-logs.ts";

/**
 * `load --collect FROM`: writes results and reports from the logs of the pods of a run. Sends nothing, so it needs neither a
 * key nor the permission to load.
 *
 * @throws CannotRunError when the logs cannot be read or contain no result.
 */
export async function collectPods(
  from: string,
  { plan, settings, io, json }: { plan: string | undefined; settings: Settings; io: Io; json: boolean },
): Promise<ExitCode> {
  const planned = plan === undefined ? undefined : await readPlan(plan, io);
  const source = from === "-" ? "-" : resolve(io.cwd, from);
  const logs = await readPodLogs(source, { stdin: stdinOf(io), redaction: settings.redaction });
  const collected = collectRun(logs, knownTarget(settings), planned);
  if (collected === undefined) throw nothingFound(from, logs);
  const target = targetOf(collected, settings);
  const { baseUrl } = target;
  const permission = {
    baseUrl,
    name: undefined,
    file: "",
    allowedBaseUrl: undefined,
    allowedHost: undefined,
  };
  const choice = { kind: "remote", target, permission } as const;
  const known = { ...settings, choice, missingKeys: [], targetIsDefault: false };
  const { run: subject, endedAt } = collected;
  const result = withExpectedLimit(collected.result, target.expectedLimit);
  const details = { endedAt, collectedAt: io.now().toISOString(), compared: planned !== undefined };
  return recordRun({ command: "load", settings: known, io, json }, async ({ state }) => {
    state.load.push({ ...result, notes: [{ code: "pods-ended", subject, details }, ...result.notes] });
  });
}

async function readPlan(file: string, { cwd }: Io): Promise<PlannedRun> {
  const text = await readFile(resolve(cwd, file), "utf8").catch((error: unknown) => {
    throw new UsageError({
      what: fileProblem(error)?.what ?? "The manifest cannot be read",
      where: `--plan ${file}`,
      fix: "Name the manifest that load --manifests wrote for this run.",
    });
  });
  return readPlannedRun(text, file);
}

/** The target of the settings, for the names of redacted secrets. The pods have redacted their logs. */
function knownTarget({ choice }: Settings): Pick<Target, "keys" | "keyVariables" | "connection"> {
  return choice.kind === "remote" ? choice.target : { keys: {} };
}

function stdinOf({ stdin }: Io) {
  return () => {
    if (stdin === undefined) throw new TypeError("no standard input");
    return stdin();
  };
}

/** The target of the settings if the pods sent load to it, otherwise a target with only an address. */
function targetOf({ baseUrl }: CollectedRun, { choice }: Settings): Target {
  if (choice.kind === "remote" && choice.target.baseUrl === baseUrl) return choice.target;
  return {
    name: new URL(baseUrl).host,
    baseUrl,
    keys: {},
    categories: [],
    fieldNames: {},
    timeoutMilliseconds: defaults.timeoutMilliseconds,
  };
}

function nothingFound(from: string, { torn }: PodLogs): CannotRunError {
  const where = from === "-" ? "standard input" : from;
  if (torn.length === 0) {
    return new CannotRunError({
      what: "The logs hold no result of a pod",
      where,
      fix: "Write the manifests with this version of shelfcheck (load --manifests), and collect the whole log of each pod, as ci/kubernetes.sh does.",
    });
  }
  const parts = torn.map(({ segment, lost, total }) => `segment ${segment} lacks ${lost} of ${total} lines`);
  return new CannotRunError({
    what: "The logs hold no complete result of a pod",
    where: `${where}: ${parts.slice(0, 5).join(", ")}`,
    fix: "Collect the logs again, whole and unchanged: kubectl logs POD.",
  });
}
