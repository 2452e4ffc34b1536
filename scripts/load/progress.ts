import { createReadStream } from "node:fs";
import { setInterval } from "node:timers/promises";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { counted, duration, grouped, percent, perSecond } from "../../schemas/words/format.ts";
import type { LiveFigures } from "./recording.ts";

/** Calls `take` with each line appended to a file, also with the last ones when it is stopped. */
export function followLines(path: string, take: (line: string) => void): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let position = 0;
  let rest = "";
  const read = async () => {
    try {
      for await (const part of createReadStream(path, { start: position })) {
        position += part.length;
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) take(line);
      }
    } catch {
      // There is no file yet, or none any more. Without progress the run continues.
    }
  };
  const following = (async () => {
    const ticks = setInterval(1000, undefined, { signal: stopping.signal });
    try {
      for await (const _ of ticks) await read();
    } catch {
      // Stopped.
    }
    await read();
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
  { requests, rate, failed, refused, seconds }: LiveFigures,
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
  return `${scenarioLabel(scenario)}: ${sent}, ${failed === 0 ? "none" : percent(failed / requests)} failed, 429 responses: ${refused === 0 ? "none" : grouped(refused)}, ${rest}`;
}
