import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setInterval } from "node:timers/promises";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { counted, duration, grouped, percent, perSecond } from "../../schemas/words/format.ts";
import { createDashboardReader } from "./series.ts";

/** Figures of a run under way. */
export interface LiveFigures {
  readonly requests: number;
  readonly failedShare: number;
  readonly refused: number;
  /** Requests a second in the last period. */
  readonly rate: number;
  /** Seconds since the load began; the questions before it do not count. */
  readonly seconds: number;
}

/** Requests of the setup, before the load begins. */
const setupRequests = 1;

/** Keeps the figures up to date from the lines that k6's dashboard records. */
export function createLiveFigures(): { take(line: string): void; readonly now: LiveFigures } {
  const read = createDashboardReader();
  let figures: LiveFigures = { requests: 0, failedShare: 0, refused: 0, rate: 0, seconds: 0 };
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
      };
      before = { at, requests };
    },
  };
}

/** The figures of processes that share a run. */
export function sumFigures(all: readonly LiveFigures[]): LiveFigures {
  const sum = (of: (figures: LiveFigures) => number) => all.reduce((total, each) => total + of(each), 0);
  const requests = sum((each) => each.requests);
  return {
    requests,
    failedShare: requests === 0 ? 0 : sum((each) => each.failedShare * each.requests) / requests,
    refused: sum((each) => each.refused),
    rate: sum((each) => each.rate),
    seconds: Math.max(0, ...all.map((each) => each.seconds)),
  };
}

/** The figures at the end of what a process recorded; none where it recorded nothing. */
export async function readFigures(path: string): Promise<LiveFigures> {
  const figures = createLiveFigures();
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) figures.take(line);
  } catch {
    // k6 never began to record.
  }
  return figures.now;
}

/** Reads what is appended to a file, line by line, until stopped. */
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
      // Stopped, or the file is gone: progress is a courtesy.
    }
  })();
  return {
    stop() {
      stopping.abort();
      return following;
    },
  };
}

/** Seconds without a new figure from which on the line says so: k6 records every second, or later on a busy machine. */
const longSilence = 10;

/**
 * The line that a person sees while a run is under way. It claims a rate only while figures come in.
 * @param totalSeconds Undefined for a run of unknown length.
 * @param silentSeconds Since the figures changed last.
 */
export function renderProgress(
  scenario: string,
  { requests, rate, failedShare, refused, seconds }: LiveFigures,
  totalSeconds: number | undefined,
  silentSeconds = 0,
): string {
  const left = totalSeconds === undefined ? undefined : Math.ceil(totalSeconds - seconds);
  const rest =
    left === undefined
      ? `${duration(seconds)} so far`
      : left > 0
        ? `${duration(left)} left`
        : "waiting for the last responses";
  const silent = silentSeconds >= longSilence;
  const sent = silent
    ? `no new figures for ${duration(silentSeconds)}, ${counted(requests, "request")} so far`
    : `${counted(requests, "request")}, now ${perSecond(rate)}`;
  return `${scenarioLabel(scenario)}: ${sent}, ${percent(failedShare)} failed, ${grouped(refused)} refused (429), ${rest}`;
}
