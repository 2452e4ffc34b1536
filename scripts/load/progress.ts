import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setInterval } from "node:timers/promises";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { counted, duration, grouped, percent, perSecond } from "../../schemas/words/format.ts";
import { createDashboardReader } from "./series.ts";

/** Figures of a running test. */
export interface LiveFigures {
  readonly requests: number;
  readonly failedShare: number;
  readonly refused: number;
  /** Requests per second in the last period. */
  readonly rate: number;
  /** Seconds from the beginning of the load, without the setup, to the last record. */
  readonly seconds: number;
  /** When k6 recorded it, in milliseconds since 1970; 0 before the first record. */
  readonly recordedAt: number;
}

/** Requests that the setup sends before the load begins. */
const setupRequests = 1;

/** Updates figures from the lines that the k6 dashboard records. */
export function createLiveFigures(): { take(line: string): void; readonly now: LiveFigures } {
  const read = createDashboardReader();
  let figures: LiveFigures = { requests: 0, failedShare: 0, refused: 0, rate: 0, seconds: 0, recordedAt: 0 };
  let before: { at: number; requests: number } | undefined;
  let beganAt: number | undefined;
  return {
    get now() {
      return figures;
    },
    take(line) {
      const event = read(line);
      if (event === undefined || event.kind === "snapshot") return;
      const first = (metric: string) => event.values(metric)[0] ?? 0;
      if (event.kind === "start") {
        if (first("time") > 0) before ??= { at: first("time"), requests: 0 };
        return;
      }
      const at = first("time");
      const requests = first("http_reqs");
      if (requests > setupRequests) beganAt ??= before?.at ?? at;
      const passed = before === undefined ? 0 : (at - before.at) / 1000;
      figures = {
        requests,
        failedShare: first("http_req_failed"),
        refused: first("refusals"),
        rate: before === undefined || passed <= 0 ? figures.rate : (requests - before.requests) / passed,
        seconds: beganAt === undefined ? 0 : (at - beganAt) / 1000,
        recordedAt: at,
      };
      before = { at, requests };
    },
  };
}

/** Total figures of the processes that share a run. */
export function sumFigures(all: readonly LiveFigures[]): LiveFigures {
  const sum = (of: (figures: LiveFigures) => number) => all.reduce((total, each) => total + of(each), 0);
  const requests = sum((each) => each.requests);
  return {
    requests,
    failedShare: requests === 0 ? 0 : sum((each) => each.failedShare * each.requests) / requests,
    refused: sum((each) => each.refused),
    rate: sum((each) => each.rate),
    seconds: Math.max(0, ...all.map((each) => each.seconds)),
    recordedAt: Math.max(0, ...all.map((each) => each.recordedAt)),
  };
}

/** The last figures that a process recorded; all 0 if it recorded none. */
export async function readFigures(path: string): Promise<LiveFigures> {
  const figures = createLiveFigures();
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) figures.take(line);
  } catch {
    // k6 has not recorded anything.
  }
  return figures.now;
}

/** Calls `take` with each line appended to a file, until stopped. */
export function followLines(path: string, take: (line: string) => void): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let position = 0;
  let rest = "";
  const read = async () => {
    const file = await open(path).catch(() => undefined);
    if (file === undefined) return;
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(size - position),
        0,
        size - position,
        position,
      );
      position += bytesRead;
      const lines = (rest + buffer.toString("utf8", 0, bytesRead)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
    } finally {
      await file.close();
    }
  };
  const following = (async () => {
    try {
      for await (const _ of setInterval(1000, undefined, { signal: stopping.signal })) await read();
    } catch {
      // Stopped, or the file is gone. Without progress the run continues.
    }
  })();
  return {
    stop() {
      stopping.abort();
      return following;
    },
  };
}

/** Seconds without new figures after which the progress line says so. k6 records every second, or later on a busy machine. */
const longSilence = 10;

/**
 * The progress line of a running test. It shows a rate only while new figures arrive.
 * @param end Undefined for a run of unknown length; `isMost` if it may end earlier.
 * @param silentSeconds Seconds since the figures last changed.
 */
export function renderProgress(
  scenario: string,
  { requests, rate, failedShare, refused, seconds }: LiveFigures,
  end: { readonly seconds: number; readonly isMost?: boolean } | undefined,
  silentSeconds = 0,
): string {
  const left = end === undefined ? undefined : Math.ceil(end.seconds - seconds);
  const rest =
    left === undefined
      ? `${duration(seconds)} so far`
      : left > 0
        ? `${end?.isMost ? "at most " : ""}${duration(left)} left`
        : "waiting for the last responses";
  const silent = silentSeconds >= longSilence;
  const sent = silent
    ? `no new figures for ${duration(silentSeconds)}, ${counted(requests, "request")} so far`
    : `${counted(requests, "request")}, now ${perSecond(rate)}`;
  return `${scenarioLabel(scenario)}: ${sent}, ${failedShare === 0 ? "none" : percent(failedShare)} failed, 429 responses: ${refused === 0 ? "none" : grouped(refused)}, ${rest}`;
}
