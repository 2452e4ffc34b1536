import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import { keyFingerprint, type Target } from "../../conformance/client/target.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import {
  type Discovered,
  type Problem,
  type RequirementResult,
  type ResultParts,
  type Results,
  schemaVersion,
} from "../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";
import { version } from "../version.ts";
import { judge } from "./judgement.ts";
import { saidResults } from "./said.ts";

/** What a run has found so far. Filled during the run, so that an interruption keeps it. */
export interface RunState {
  requirements: RequirementResult[];
  requests: Results<Finding>["requests"];
  discovered: Discovered;
  load: LoadResult[];
  /** Omitted when no waiver applies to the target. */
  waivers?: WaiverResult[];
  problem?: Problem;
  /** Omitted when all requirements were selected. */
  scope?: Results["scope"] & object;
  /** Notices about the input of the run, such as a category without products. */
  notices: Finding[];
  /** What capabilities add. */
  parts: ResultParts;
}

export function emptyRun(): RunState {
  return {
    requirements: [],
    requests: { total: 0, byEndpoint: {} },
    discovered: { retailers: [], dialect: {}, fields: {}, rateLimit: { refused: 0 }, fixtures: [] },
    load: [],
    notices: [],
    parts: {},
  };
}

/** What is known about a run apart from its findings. */
export interface RunInfo {
  readonly command: Results["command"];
  readonly target: Target;
  readonly builtIn: boolean;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly interrupted: boolean;
  readonly environment: NonNullable<Results["environment"]>;
  readonly redaction: Redaction;
}

/** With verdict, exit code and cause. Sentences are made last, from what is left when keys are hidden. */
export function assembleResults(info: RunInfo, state: RunState): Results {
  const { command, target, interrupted, startedAt, finishedAt } = info;
  const { parts } = state;
  const notices = [...state.notices, ...notProbed(info, state)];
  const problem = state.problem ?? (interrupted ? interruption(command) : undefined);
  const results: Results<Finding> = {
    schemaVersion,
    tool: { name: "shelfcheck", version },
    command,
    target: {
      name: target.name,
      baseUrl: target.baseUrl,
      ...(info.builtIn ? { builtIn: true as const } : {}),
      keyFingerprint: keyFingerprint(target.keys.primary),
      keyVariables: target.keyVariables && { ...target.keyVariables },
    },
    environment: info.environment,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    ...judge({ ...state, command, interrupted, notices }),
    summary: countByVerdict(state.requirements),
    ...state,
    problem,
    notices: notices.length === 0 ? undefined : notices,
    parts: Object.keys(parts).length === 0 ? undefined : parts,
  };
  return saidResults(redactValue(results, info.redaction));
}

/** Says that a whole run left the expected rate limit out, so that nobody takes it for judged. */
function notProbed({ command, target }: RunInfo, { load, scope }: RunState): Finding[] {
  const isWhole = scope === undefined && (command === "conformance" || command === "gate");
  const isProbed = load.some(({ rateLimit }) => rateLimit?.mode === "probe");
  return target.expectedLimit === undefined || !isWhole || isProbed ? [] : [{ code: "limit-not-probed" }];
}

export function countByVerdict(requirements: readonly RequirementResult[]): Results["summary"] {
  const summary = { pass: 0, fail: 0, warn: 0, inconclusive: 0, notApplicable: 0, error: 0 };
  for (const { verdict } of requirements) summary[verdict]++;
  return summary;
}

function interruption(command: Results["command"]): Problem {
  return {
    what: "The run was interrupted",
    where: command,
    fix: "Results up to that point are kept. To get all of them, repeat the run.",
  };
}
