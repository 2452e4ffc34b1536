import { open } from "node:fs/promises";
import { setInterval } from "node:timers/promises";
import { createDashboardReader } from "./dashboard-lines.ts";

/** Figures of a run under way, since its start. */
export interface LiveFigures {
  readonly requests: number;
  readonly failedShare: number;
  readonly refused: number;
}

/** Keeps the figures up to date from the lines that k6's dashboard records. */
export function createLiveFigures(): { take(line: string): void; readonly now: LiveFigures } {
  const read = createDashboardReader();
  let figures: LiveFigures = { requests: 0, failedShare: 0, refused: 0 };
  return {
    get now() {
      return figures;
    },
    take(line) {
      const event = read(line);
      if (event?.kind !== "cumulative") return;
      const first = (metric: string) => event.values(metric)[0] ?? 0;
      figures = {
        requests: first("http_reqs"),
        failedShare: first("http_req_failed"),
        refused: first("refusals"),
      };
    },
  };
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

/** The line that a person sees while a run is under way. */
export function renderProgress(
  scenario: string,
  { requests, failedShare, refused }: LiveFigures,
  passedSeconds: number,
  totalSeconds: number,
): string {
  const left = Math.max(0, Math.ceil(totalSeconds - passedSeconds));
  const rate = passedSeconds <= 0 ? 0 : requests / passedSeconds;
  return `${scenario}: ${requests} requests, ${rate.toFixed(1)}/s, ${(failedShare * 100).toFixed(1)} % failed, ${refused} answers 429, ${left} s left`;
}
