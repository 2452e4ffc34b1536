import { open } from "node:fs/promises";
import { setInterval } from "node:timers/promises";

/** Figures of a run under way, since its start. */
export interface LiveFigures {
  readonly requests: number;
  readonly failedShare: number;
  readonly refused: number;
}

/**
 * Follows the time series that k6's dashboard records: one JSON object a line. A `metric` line adds names; a
 * `cumulative` line has the values of all names so far, in the order of the names.
 */
export function createLiveFigures(): { take(line: string): void; readonly now: LiveFigures } {
  const names = new Set<string>();
  let figures: LiveFigures = { requests: 0, failedShare: 0, refused: 0 };
  return {
    get now() {
      return figures;
    },
    take(line) {
      const entry = parse(line);
      if (entry?.event === "metric") for (const name of Object.keys(entry.data)) names.add(name);
      if (entry?.event !== "cumulative" || !Array.isArray(entry.data)) return;
      const values = entry.data as (number[] | undefined)[];
      const ordered = [...names].sort();
      const first = (name: string) => values[ordered.indexOf(name)]?.[0] ?? 0;
      figures = {
        requests: first("http_reqs"),
        failedShare: first("http_req_failed"),
        refused: names.has("refusals") ? first("refusals") : 0,
      };
    },
  };
}

function parse(line: string): { event: string; data: object } | undefined {
  try {
    return JSON.parse(line) as { event: string; data: object };
  } catch {
    return undefined;
  }
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
