import { resolve } from "node:path";
import type { Target } from "../../conformance/client/target.ts";
import { defaults, type Settings } from "../config/settings.ts";
import { CannotRunError, type ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import { withExpectedLimit } from "../load/expected-limit.ts";
import { recordRun } from "../runs/stages/record.ts";
import { type CollectedRun, collectRun } from "./collect.ts";
import { readPodLogs } from "./pod-logs.ts";

/**
 * `load --collect FROM`: writes results and reports from the logs of the pods of a run. Sends nothing, so it needs neither a
 * key nor the permission to load.
 *
 * @throws CannotRunError when the logs cannot be read or contain no result.
 */
export async function collectPods(
  from: string,
  { settings, io, json }: { settings: Settings; io: Io; json: boolean },
): Promise<ExitCode> {
  const source = from === "-" ? "-" : resolve(io.cwd, from);
  const logs = await readPodLogs(source, { stdin: stdinOf(io), redaction: settings.redaction });
  const collected = collectRun(logs, knownTarget(settings));
  if (collected === undefined) throw nothingFound(from);
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
  const details = { endedAt, collectedAt: io.now().toISOString() };
  return recordRun({ command: "load", settings: known, io, json }, async ({ state }) => {
    state.load.push({ ...result, notes: [{ code: "pods-ended", subject, details }, ...result.notes] });
  });
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

function nothingFound(from: string): CannotRunError {
  return new CannotRunError({
    what: "The logs hold no complete result of a pod",
    where: from === "-" ? "standard input" : from,
    fix: "Write the manifests with this version of shelfcheck (load --manifests), and collect the whole log of each pod, as ci/kubernetes.sh does.",
  });
}
