import { createReadStream } from "node:fs";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { counted, duration, grouped, percent, perSecond } from "../../schemas/words/format.ts";
import type { LiveFigures } from "./recording.ts";

/** Calls `take` with each line appended to a file, also with the last ones when it is stopped. */
export function followLines(path: string, take: (line: string) => void): { stop(): Promise<void> } {
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
  let reading = Promise.resolve();
  const readOn = () => (reading = reading.then(read));
  const timer = setInterval(readOn, 1000);
  return {
    stop() {
      clearInterval(timer);
      return readOn();
    },
  };
}

/**
 * The progress line of a running test.
 * @param end Undefined for a run of unknown length; `isMost` if it may end earlier.
 */
export function renderProgress(
  scenario: string,
  { requests, rate, failed, refused, seconds }: LiveFigures,
  end: { readonly seconds: number; readonly isMost?: boolean } | undefined,
): string {
  const left = end && Math.ceil(end.seconds - seconds);
  const parts = [
    `${scenarioLabel(scenario)}: ${counted(requests, "request")}, on average ${perSecond(rate)}`,
    `${failed === 0 ? "none" : percent(failed / requests)} failed`,
    `429 responses: ${refused === 0 ? "none" : grouped(refused)}`,
  ];
  if (left === undefined) parts.push(`${duration(seconds)} so far`);
  else if (left > 0) parts.push(`${end?.isMost ? "at most " : ""}${duration(left)} left`);
  else parts.push("waiting for k6 to end");
  return parts.join(", ");
}
