import { setTimeout as sleep } from "node:timers/promises";
import { longestSeconds } from "../../scenarios/lib/options.ts";
import { totalSeconds } from "../../scenarios/lib/schedule.ts";
import { duration } from "../../schemas/words/format.ts";
import { CannotRunError } from "../errors.ts";
import type { LoadPlan } from "../load/plan.ts";
import { askStage, readState } from "./cluster-state.ts";
import type { Kubectl } from "./kubectl.ts";
import { type Obstacle, obstacleIn, obstacleText } from "./obstacles.ts";

/** How a run in a cluster is watched. */
export interface Watching {
  readonly kubectl: Kubectl;
  /** Of the TestRun. */
  readonly name: string;
  readonly plan: LoadPlan;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Interval between two looks at the stage. Default: 2,000 */
  readonly pollMilliseconds?: number | undefined;
  /** Default: Date.now */
  readonly clock?: (() => number) | undefined;
}

/** Time besides the run itself: for pulling images, for new nodes, for the initializer and the starter. */
const beyondMilliseconds = 10 * 60 * 1000;
/** How long an API server may be away. A run goes on without it. */
const awayMilliseconds = 10 * 60 * 1000;
const inspectMilliseconds = 10_000;
/** How long an obstacle may stay. Most of them are there within seconds, and none leaves by itself. */
const obstacleMilliseconds = 60_000;
/** How long an operator may take to notice a TestRun: after a restart it waits for its lease. */
const unnoticedMilliseconds = 30_000;

/**
 * Waits until the TestRun has ended.
 *
 * @param begun Called when the pods send load.
 * @throws CannotRunError for the stage `error`, when something keeps the pods from running for a minute, when the TestRun is
 *   gone, and when it takes too long; the signal's reason, when aborted.
 */
export async function awaitRun(watching: Watching, begun: () => void): Promise<void> {
  const { kubectl, name, plan, progress, signal, pollMilliseconds = 2000, clock = Date.now } = watching;
  const longest = longestSeconds(plan.scenario, plan.profile) * 1000 + beyondMilliseconds;
  const startedAt = clock();
  const lookForObstacles = createObstacleWatch(watching, startedAt);
  let answeredAt = startedAt;
  let shown = "";
  for (;;) {
    const look = await askStage(kubectl, name);
    signal?.throwIfAborted();
    const now = clock();
    if (!look.ok) {
      if (look.refusal !== "other") throw gone(name, look);
      if (now - answeredAt > awayMilliseconds) throw unreachable(look.said);
      if (shown !== "away") progress(`kubernetes: the cluster does not respond; asking again (${look.said})`);
      shown = "away";
    } else {
      answeredAt = now;
      const { stage } = look;
      const text = stage ?? "waiting for the operator";
      if (text !== shown) progress(`kubernetes: ${text}${lasting(stage, plan)}`);
      shown = text;
      if (stage === "started") begun();
      if (stage === "finished" || stage === "stopped") return;
      if (stage === "error") throw await stageError(kubectl, name);
      await lookForObstacles(now, stage);
      if (now - startedAt > longest) throw tooLong(name, stage, now - startedAt);
    }
    await sleep(pollMilliseconds, undefined, { signal });
  }
}

function lasting(stage: string | undefined, { profile }: LoadPlan): string {
  return stage === "started" ? ` (about ${Math.ceil(totalSeconds(profile.stages))} s)` : "";
}

/**
 * Creates a function that looks from time to time for what keeps the pods from running, and tells it once. It throws a
 * CannotRunError when that stays.
 */
function createObstacleWatch({ kubectl, name, progress }: Watching, startedAt: number) {
  let inspectedAt = Number.NEGATIVE_INFINITY;
  let since: number | undefined;
  let told = "";

  async function obstacleAt(now: number, stage: string | undefined): Promise<Obstacle | undefined> {
    if (stage !== undefined) return obstacleIn(await readState(kubectl, name), stage === "started");
    return now - startedAt < unnoticedMilliseconds ? undefined : { kind: "unnoticed", subject: name };
  }

  return async (now: number, stage: string | undefined): Promise<void> => {
    if (now - inspectedAt < inspectMilliseconds) return;
    inspectedAt = now;
    const obstacle = await obstacleAt(now, stage);
    since = obstacle === undefined ? undefined : (since ?? now);
    if (obstacle === undefined || since === undefined) return;
    const { what, fix } = obstacleText(obstacle);
    if (told !== what) progress(`kubernetes: ${what}`);
    told = what;
    if (obstacle.passing === true || now - since < obstacleMilliseconds) return;
    throw new CannotRunError({
      what,
      where: `TestRun ${name}, for ${duration((now - since) / 1000)}`,
      fix,
    });
  };
}

function gone(name: string, { refusal, said }: { refusal: string; said: string }): CannotRunError {
  return refusal === "not-found"
    ? new CannotRunError({
        what: `The TestRun ${name} was deleted while it ran`,
        where: said,
        fix: "Find out who deleted it, and run the load again.",
      })
    : new CannotRunError({
        what: `The TestRun ${name} may no longer be read`,
        where: said,
        fix: "Ask for the Role in docs/cluster.md.",
      });
}

function unreachable(said: string): CannotRunError {
  return new CannotRunError({
    what: `The cluster has not responded for ${duration(awayMilliseconds / 1000)}`,
    where: said,
    fix: "Check the connection to the cluster: kubectl cluster-info.",
  });
}

/** The conditions of a TestRun say nothing about an error; the pods before those that send load do. */
async function stageError(kubectl: Kubectl, name: string): Promise<CannotRunError> {
  const obstacle = obstacleIn(await readState(kubectl, name), false);
  const said = lastWords(await kubectl.ask("logs", "--selector", `k6_cr=${name},runner!=true`, "--tail=20"));
  const text = obstacle === undefined ? undefined : obstacleText(obstacle).what;
  return new CannotRunError({
    what: `The operator could not start the TestRun ${name}`,
    where: [text, said].filter(Boolean).join("; ") || "stage error, without a reason",
    fix: "See cluster-state.json and initializer.log in the run's folder.",
  });
}

/** The last error in a log, or else nothing: the log of a script that was inspected is long and no reason. */
function lastWords(answer: { readonly text: string }): string {
  const lines = answer.text.split("\n").filter((line) => /level=error|\berror\b/i.test(line));
  return lines.at(-1)?.trim() ?? "";
}

function tooLong(name: string, stage: string | undefined, milliseconds: number): CannotRunError {
  return new CannotRunError({
    what: `The TestRun ${name} did not end`,
    where: `stage ${stage ?? "none"}, ${duration(milliseconds / 1000)} after it was created`,
    fix: "See cluster-state.json in the run's folder.",
  });
}
