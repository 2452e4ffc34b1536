import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { responsesHeld } from "../../scenarios/lib/options.ts";
import { rateLimitMode, totalSeconds } from "../../scenarios/lib/schedule.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { keyVariables, type TextRedaction } from "../../schemas/redaction.ts";
import { requestLabel, scenarioLabel, scenarios, type Traffic } from "../../schemas/scenarios.ts";
import { findingText } from "../../schemas/words/index.ts";
import type { Progress } from "../io.ts";
import { environmentForTarget } from "./connection-variables.ts";
import { type K6Exit, runK6 } from "./k6-process.ts";
import type { createEvidence, LoadTarget } from "./load-evidence.ts";
import type { LoadPlan } from "./plan.ts";
import { createLiveFigures, followLines, type LiveFigures, renderProgress, sumFigures } from "./progress.ts";
import {
  collectGarbage,
  type GeneratorUse,
  grantedMemory,
  limitNewSpace,
  watchGenerator,
} from "./resources.ts";
import type { LoadFolder, ShardFiles } from "./run-folder.ts";
import { type SearchEnd, watchSearch } from "./search.ts";
import { seriesPeriodSeconds, seriesTag } from "./series.ts";
import { createJudge } from "./shares.ts";
import { boundsOf, collectorVariables, type Supervisor, supervise } from "./supervision.ts";

/** How the processes of a run ended. */
export interface ProcessesEnd {
  readonly exits: readonly K6Exit[];
  readonly uses: readonly GeneratorUse[];
  /** Why a search for the capacity could not tell the target's limit from that of this machine. */
  readonly starved: readonly Finding[];
}

type LoadEvidence = ReturnType<typeof createEvidence>;

/** What the k6 processes of a run are started with. */
interface ProcessesStart {
  readonly plan: LoadPlan;
  readonly target: LoadTarget;
  /** The probe does not use the key of the other organization. Default: false */
  readonly withoutOtherOrg?: boolean | undefined;
  readonly k6: { readonly path: string };
  /** Environment that k6 inherits. */
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/** Runs one k6 process per shard, starts their traffic at the same time, and reports progress. */
export async function runProcesses(
  start: ProcessesStart,
  folder: LoadFolder,
  { evidence, redaction }: { readonly evidence: LoadEvidence; readonly redaction: TextRedaction },
): Promise<ProcessesEnd> {
  const { plan, target, env, signal } = start;
  const { scenario, profile, k6Args } = plan;
  const count = plan.shards;
  const barrier = count === 1 ? undefined : await startBarrier(count);
  const seconds = totalSeconds(profile.stages);
  const figures = folder.shards.map(createLiveFigures);
  const supervisors: Supervisor[] = [];
  const bounds = boundsOf(scenario, profile, { shards: count, machineBytes: grantedMemory(), k6Args });
  const responses = responsesHeld(scenario, profile) / count;
  const collector = collectorVariables({ ...bounds, responses });
  const isDone = createEnd(profile);
  const search =
    profile.findsCapacity === true
      ? watchSearch(profile, seriesPeriodSeconds(seconds), { processes: count })
      : undefined;
  let found: SearchEnd | undefined;
  let named: ReadonlySet<string> = new Set();
  const followers = folder.shards.map(({ timeSeries }, place) =>
    followLines(timeSeries, (line) => {
      figures[place]?.take(line);
      supervisors[place]?.alive();
      found ??= search?.(place, line);
      if (found !== undefined || isDone(sumFigures(figures.map(({ now }) => now))))
        for (const each of supervisors) each.finish();
    }),
  );
  const ofTarget = await environmentForTarget(target, env, folder.path);
  if (seconds >= longRunSeconds) {
    limitNewSpace();
    collectGarbage();
  }
  const reporter = reportProgress(start, () => figures.map(({ now }) => now));
  try {
    const ends = await Promise.all(
      folder.shards.map(async (files, place) => {
        let watch: ReturnType<typeof watchGenerator> | undefined;
        const supervisor = supervise(bounds);
        supervisors[place] = supervisor;
        const exit = await runK6({
          path: start.k6.path,
          args: [
            "run",
            ...runArguments,
            ...segmentArguments(place, count),
            ...argumentsFor(plan, place),
            folder.bundle,
          ],
          env: {
            ...environmentOf(start, folder, files, {
              periodSeconds: seriesPeriodSeconds(seconds),
              collector,
            }),
            ...ofTarget,
            SHELFCHECK_BARRIER: barrier?.url ?? "",
          },
          logFile: files.log,
          redaction,
          signal,
          supervisor,
          onMessage: (_level, message) => {
            evidence.take(message);
            named = nameFirst(start, evidence.kept, named);
          },
          onStart: (pid) => {
            watch = watchGenerator(pid, supervisor.look);
          },
        });
        // A process that has ended will not reach the barrier. The others must not wait for it.
        barrier?.open();
        return { exit, use: await watch?.stop() };
      }),
    );
    return {
      exits: ends.map(({ exit }) => exit),
      uses: ends.flatMap(({ use }) => use ?? []),
      starved: found?.starved ?? [],
    };
  } finally {
    reporter.stop();
    await Promise.all(followers.map((follower) => follower.stop()));
    await barrier?.close();
  }
}

/** Reports each kind of wrong response when the first one comes: a long run need not end before it is known. */
function nameFirst(
  { plan: { scenario }, target, progress }: ProcessesStart,
  kept: LoadEvidence["kept"],
  named: ReadonlySet<string>,
): ReadonlySet<string> {
  const kindOf = ({ finding: { code, actual } }: LoadEvidence["kept"][number]) =>
    code === "wrong-status" ? `${code} ${actual}` : code;
  for (const one of kept.filter((each) => !named.has(kindOf(each))).slice(0, 1)) {
    const words = { keyVariables: target.keyVariables ?? keyVariables };
    const [label, text] = [requestLabel(one.request), findingText(one.finding, words)];
    progress(`${scenarioLabel(scenario)}: ${text.startsWith(label) ? "" : `${label}: `}${text}`);
    return new Set([...named, kindOf(one)]);
  }
  return named;
}

/** Returns whether a run has found what it was sent for, by its figures so far. */
function createEnd(profile: Profile): (figures: LiveFigures) => boolean {
  if (profile.untilJudged !== true) return () => false;
  const isJudged = createJudge(profile);
  return ({ requests, failedShare, refused, seconds }) => {
    const answered = requests - refused;
    return isJudged({ count: Math.round(failedShare * requests), total: answered, seconds });
  };
}

/** From here on it matters how much memory shelfcheck holds beside k6. */
const longRunSeconds = 300;

// The REST API on a free port, since parallel processes cannot share its default port.
const runArguments = ["--quiet", "--no-usage-report", "--log-format=json", "--address=127.0.0.1:0"];

/** Additional arguments of one process. `$SHARD` lets each process write its outputs to its own file. */
function argumentsFor({ k6Args }: LoadPlan, place: number): string[] {
  return k6Args.map((argument) => argument.replaceAll("$SHARD", String(place + 1)));
}

/** Whether a scenario sends requests with the key of the other organization. */
function usesOtherOrg({ scenario }: LoadPlan): boolean {
  const traffic: readonly Traffic[] = scenarios[scenario].traffic;
  return traffic.includes("limit") || traffic.includes("tenants");
}

function environmentOf(
  { env, target: { keys, keyVariables: named = keyVariables }, plan, withoutOtherOrg }: ProcessesStart,
  folder: LoadFolder,
  files: ShardFiles,
  { periodSeconds, collector }: { periodSeconds: number; collector: NodeJS.ProcessEnv },
): NodeJS.ProcessEnv {
  return {
    ...collector,
    ...env,
    SHELFCHECK_API_KEY: keys.primary,
    SHELFCHECK_API_KEY_NAME: named.primary,
    SHELFCHECK_OTHER_ORG_API_KEY_NAME: named.otherOrg,
    ...(withoutOtherOrg === true || !usesOtherOrg(plan)
      ? {}
      : { SHELFCHECK_OTHER_ORG_API_KEY: keys.otherOrg }),
    SHELFCHECK_FIXTURES: folder.fixtures,
    SHELFCHECK_PROFILE: folder.profile,
    SHELFCHECK_SUMMARY: files.summary,
    SHELFCHECK_SEED: String(plan.seed),
    // The k6 web dashboard, without its server unless the user names a port: it writes a page at the end, and a time series that progress is read from.
    K6_WEB_DASHBOARD: "true",
    K6_WEB_DASHBOARD_PORT: (plan.shards === 1 && env.K6_WEB_DASHBOARD_PORT) || "-1",
    K6_WEB_DASHBOARD_PERIOD: `${periodSeconds}s`,
    K6_WEB_DASHBOARD_TAGS: seriesTag,
    K6_WEB_DASHBOARD_RECORD: files.timeSeries,
    K6_WEB_DASHBOARD_EXPORT: files.dashboard,
  };
}

/** Reports progress every few seconds: about twenty lines per run, at least one per minute. */
function reportProgress(
  { plan: { scenario, profile }, progress }: ProcessesStart,
  figures: () => readonly LiveFigures[],
): { stop(): void } {
  const seconds = totalSeconds(profile.stages);
  const isProbe = scenario === "rate-limit" && rateLimitMode(profile) === "probe";
  const every = Math.min(60, Math.max(2, seconds / 20)) * 1000;
  let shown: LiveFigures | undefined;
  let shownAt = 0;
  const timer = setInterval(() => {
    const now = sumFigures(figures());
    if (now.requests === 0) return;
    const isNews = now.recordedAt !== shown?.recordedAt;
    if (isNews) {
      shown = now;
      shownAt = performance.now();
    }
    const silent = (performance.now() - shownAt) / 1000;
    // k6 records once per period, and later on a busy machine. The elapsed time continues in between.
    const current = { ...now, seconds: now.seconds + (Date.now() - now.recordedAt) / 1000 };
    const end = isProbe ? undefined : { seconds, isMost: profile.untilJudged === true };
    progress(renderProgress(scenario, current, end, silent), "passing");
  }, every);
  return { stop: () => clearInterval(timer) };
}

/** Holds processes back until all of them are ready. */
export interface Barrier {
  /** Each process sends one request here. The responses come when all have sent theirs. */
  readonly url: string;
  /** Releases all processes, for example when one of them has ended early. */
  open(): void;
  close(): Promise<void>;
}

/** Starts a barrier for `count` processes on a free port of 127.0.0.1. */
async function startBarrier(count: number): Promise<Barrier> {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const open = () => {
    isOpen = true;
    // 204 rather than 200, so that this wait is not in the latency of successful responses.
    for (const response of waiting.splice(0)) response.writeHead(204).end();
  };
  const server = createServer((_request, response) => {
    waiting.push(response);
    if (isOpen || waiting.length >= count) open();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    open,
    close() {
      open();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** k6 arguments for one of `count` processes that share a run equally; none for a single process. */
export function segmentArguments(place: number, count: number): string[] {
  if (count === 1) return [];
  const bound = (index: number) => (index === 0 ? "0" : index === count ? "1" : `${index}/${count}`);
  const sequence = Array.from({ length: count + 1 }, (_, index) => bound(index)).join(",");
  return [
    "--execution-segment",
    `${bound(place)}:${bound(place + 1)}`,
    "--execution-segment-sequence",
    sequence,
  ];
}
