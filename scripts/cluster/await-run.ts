import { setTimeout as sleep } from "node:timers/promises";
import { longestSeconds } from "../../scenarios/lib/options.ts";
import { totalSeconds } from "../../scenarios/lib/schedule.ts";
import { duration } from "../../schemas/words/format.ts";
import { CannotRunError } from "../errors.ts";
import type { LoadPlan } from "../load/plan.ts";
import { askStage, readState } from "./cluster-state.ts";
import type { Kubectl } from "./kubectl.ts";
import { obstacleIn, obstacleText } from "./obstacles.ts";

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
  const obstacles = createObstacleWatch(watching);
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
      const blocked =
        stage === undefined
          ? obstacles.unnoticed(now - startedAt)
          : await obstacles.look(now, stage === "started");
      if (blocked?.tell !== undefined) progress(`kubernetes: ${blocked.tell}`);
      if (blocked?.end !== undefined) throw blocked.end;
      if (now - startedAt > longest) throw tooLong(name, stage, now - startedAt);
    }
    await sleep(pollMilliseconds, undefined, { signal });
  }
}

function lasting(stage: string | undefined, { profile }: LoadPlan): string {
  return stage === "started" ? ` (about ${Math.ceil(totalSeconds(profile.stages))} s)` : "";
}

/** What a look at the pods says: a sentence, once, and later the end of the run. */
interface Blocked {
  readonly tell?: string | undefined;
  readonly end?: CannotRunError | undefined;
}

/** Looks at what keeps the pods from running: tells it once, and ends the run when it stays. */
function createObstacleWatch({ kubectl, name }: Watching) {
  let inspectedAt = Number.NEGATIVE_INFINITY;
  let since: number | undefined;
  let told = "";
  const blocked = ({ what, fix }: { what: string; fix: string }, milliseconds: number, ends: boolean) => {
    const tell = told === what ? undefined : what;
    told = what;
    if (!ends) return { tell };
    const where = `TestRun ${name}, for ${duration(milliseconds / 1000)}`;
    return { tell, end: new CannotRunError({ what, where, fix }) };
  };
  return {
    async look(now: number, isSending: boolean): Promise<Blocked | undefined> {
      if (now - inspectedAt < inspectMilliseconds) return undefined;
      inspectedAt = now;
      const obstacle = obstacleIn(await readState(kubectl, name), isSending);
      since = obstacle === undefined ? undefined : (since ?? now);
      if (obstacle === undefined || since === undefined) return undefined;
      const stays = !obstacle.passing && now - since >= obstacleMilliseconds;
      return blocked(obstacleText(obstacle), now - since, stays);
    },
    /** For a TestRun without a stage. */
    unnoticed(milliseconds: number): Blocked | undefined {
      if (milliseconds < unnoticedMilliseconds) return undefined;
      return blocked(
        operatorSilent,
        milliseconds,
        milliseconds >= unnoticedMilliseconds + obstacleMilliseconds,
      );
    },
  };
}

const operatorSilent = {
  what: "The k6-operator does not notice the TestRun",
  fix: "Check that it runs, and that it watches this namespace (WATCH_NAMESPACE): kubectl get deployments --all-namespaces --selector app.kubernetes.io/name=k6-operator.",
};

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
