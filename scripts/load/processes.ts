import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { KeyVariables } from "../../conformance/client/target.ts";
import type { Way } from "../../conformance/client/way.ts";
import { rateLimitMode, totalSeconds } from "../../scenarios/lib/schedule.ts";
import { keyVariables, type TextRedaction } from "../../schemas/redaction.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { Profile } from "../../schemas/types.ts";
import type { createEvidence } from "./evidence.ts";
import { type K6Exit, runK6 } from "./k6-process.ts";
import { createLiveFigures, followLines, type LiveFigures, renderProgress, sumFigures } from "./progress.ts";
import { type GeneratorUse, grantedMemory, watchGenerator } from "./resources.ts";
import type { LoadFolder, ShardFiles } from "./run-folder.ts";
import { seriesPeriodSeconds, seriesTag } from "./series.ts";
import { boundsOf, type Supervisor, supervise } from "./supervision.ts";
import { wayVariables } from "./way-variables.ts";

/** How the processes of a run ended. */
export interface ProcessesEnd {
  readonly exits: readonly K6Exit[];
  readonly uses: readonly GeneratorUse[];
}

type Evidence = ReturnType<typeof createEvidence>;

/** What the k6 processes of a run need to know. */
export interface ProcessesRequest {
  readonly k6Path: string;
  readonly scenario: ScenarioId;
  /** The key goes to k6 by the environment only. */
  readonly target: {
    readonly baseUrl: string;
    readonly key: string;
    /** A key of another organization: the probe looks whether one's limit touches the other. */
    readonly otherOrgKey?: string | undefined;
    /** By which the keys are shown. Default: the usual names */
    readonly keyVariables?: KeyVariables | undefined;
    /** How it is reached. Default: as its base URL says */
    readonly way?: Way | undefined;
    /** URL of the proxy to ask through. Default: none */
    readonly proxy?: string | undefined;
  };
  /** Handed to k6 as they are. */
  readonly k6Args?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** What k6 inherits. */
  readonly env: NodeJS.ProcessEnv;
}

/** Runs one k6 for each shard, starts their traffic together, and says now and then how it goes. */
export async function runProcesses(
  request: ProcessesRequest,
  profile: Profile,
  folder: LoadFolder,
  evidence: Evidence,
  redaction: TextRedaction,
): Promise<ProcessesEnd> {
  const count = folder.shards.length;
  const barrier = count === 1 ? undefined : await startBarrier(count);
  const seconds = totalSeconds(profile.stages);
  const figures = folder.shards.map(createLiveFigures);
  const supervisors: Supervisor[] = [];
  const { scenario, k6Args = [] } = request;
  const bounds = boundsOf(scenario, profile, { shards: count, machineBytes: grantedMemory(), k6Args });
  const followers = folder.shards.map(({ timeSeries }, place) =>
    followLines(timeSeries, (line) => {
      figures[place]?.take(line);
      supervisors[place]?.alive();
    }),
  );
  const way = await wayVariables(request.target, request.env, folder.path);
  const reporter = reportProgress(request, profile, () => figures.map(({ now }) => now));
  try {
    const ends = await Promise.all(
      folder.shards.map(async (files, place) => {
        let watch: ReturnType<typeof watchGenerator> | undefined;
        const supervisor = supervise(bounds);
        supervisors[place] = supervisor;
        const exit = await runK6({
          path: request.k6Path,
          args: [
            "run",
            ...runArguments,
            ...segmentArguments(place, count),
            ...argumentsFor(request, place),
            folder.bundle,
          ],
          env: {
            ...environmentOf(request, folder, files, {
              periodSeconds: seriesPeriodSeconds(seconds),
              memoryBytes: bounds.memoryBytes,
            }),
            ...way,
            SHELFCHECK_BARRIER: barrier?.url ?? "",
          },
          logFile: files.log,
          redaction,
          signal: request.signal,
          supervisor,
          onMessage: (_level, message) => evidence.take(message),
          onStart: (pid) => {
            watch = watchGenerator(pid, supervisor.look);
          },
        });
        // One that is over will not come to the barrier: the others must not wait for it.
        barrier?.open();
        return { exit, use: await watch?.stop() };
      }),
    );
    return { exits: ends.map(({ exit }) => exit), uses: ends.flatMap(({ use }) => use ?? []) };
  } finally {
    reporter.stop();
    await Promise.all(followers.map((follower) => follower.stop()));
    await barrier?.close();
  }
}

// The REST API on a free port: on its usual one, processes side by side would complain.
const runArguments = ["--quiet", "--no-usage-report", "--log-format=json", "--address=127.0.0.1:0"];

/** The caller's own arguments, with `$SHARD` in them replaced: outputs of several processes must not meet in one file. */
function argumentsFor({ k6Args = [] }: ProcessesRequest, place: number): string[] {
  return k6Args.map((argument) => argument.replaceAll("$SHARD", String(place + 1)));
}

function environmentOf(
  { env, target, seed }: ProcessesRequest,
  folder: LoadFolder,
  files: ShardFiles,
  { periodSeconds, memoryBytes }: { periodSeconds: number; memoryBytes: number },
): NodeJS.ProcessEnv {
  return {
    // Go collects garbage harder before its process passes the bound on memory.
    GOMEMLIMIT: `${Math.round(memoryBytes * 0.85)}B`,
    ...env,
    SHELFCHECK_API_KEY: target.key,
    SHELFCHECK_API_KEY_NAME: (target.keyVariables ?? keyVariables).primary,
    SHELFCHECK_OTHER_ORG_API_KEY_NAME: (target.keyVariables ?? keyVariables).otherOrg,
    ...(target.otherOrgKey === undefined ? {} : { SHELFCHECK_OTHER_ORG_API_KEY: target.otherOrgKey }),
    SHELFCHECK_FIXTURES: folder.fixtures,
    SHELFCHECK_PROFILE: folder.profile,
    SHELFCHECK_SUMMARY: files.summary,
    SHELFCHECK_SEED: String(seed ?? 1),
    // k6's own dashboard, offline: a page at the end, and the time series that progress is read from.
    K6_WEB_DASHBOARD: "true",
    K6_WEB_DASHBOARD_PORT: "-1",
    K6_WEB_DASHBOARD_PERIOD: `${periodSeconds}s`,
    K6_WEB_DASHBOARD_TAGS: seriesTag,
    K6_WEB_DASHBOARD_RECORD: files.timeSeries,
    K6_WEB_DASHBOARD_EXPORT: files.dashboard,
  };
}

/** A line every few seconds, and at most about twenty in a run. */
function reportProgress(
  { scenario, progress }: ProcessesRequest,
  profile: Profile,
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
    // k6 records once a period, and later on a busy machine: time goes on meanwhile.
    const isNews = now.requests !== shown?.requests || now.seconds !== shown.seconds;
    if (isNews) {
      shown = now;
      shownAt = performance.now();
    }
    const silent = (performance.now() - shownAt) / 1000;
    const current = { ...now, seconds: now.seconds + silent };
    progress(renderProgress(scenario, current, isProbe ? undefined : seconds, silent));
  }, every);
  return { stop: () => clearInterval(timer) };
}

/** Holds processes until all of them are ready. */
export interface Barrier {
  /** Each process asks this address once, and gets its response when all have asked. */
  readonly url: string;
  /** Lets everybody through, as when one of them will never come. */
  open(): void;
  close(): Promise<void>;
}

/** Starts a barrier for `count` processes on a free port of this machine. */
export async function startBarrier(count: number): Promise<Barrier> {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const open = () => {
    isOpen = true;
    // 204: the time series has the latency of responses 200, and this wait is not the target's.
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

/** k6's arguments for one of `count` processes that share a run in equal parts; none when there is one only. */
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
