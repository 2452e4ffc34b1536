import { setTimeout } from "node:timers/promises";
import { type HeadingDone, judgeService } from "../../conformance/engine/judge-service.ts";
import { sections } from "../../conformance/requirements/requirement.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { startService } from "../../service/start.ts";
import type { WireChange } from "../../service/wire.ts";
import { type Bench, type BenchIo, held } from "./bench.ts";

interface Row {
  readonly section: string;
  readonly checks: number;
  readonly requests: number;
  readonly wall: number;
  readonly cpu: number;
}

/** The parts: the delay of each response, and the longest time that a run may take. */
const parts = {
  "no-delay": { delayMilliseconds: 0, mostSeconds: 5 },
  "100-ms": { delayMilliseconds: 100, mostSeconds: 25 },
} as const;

/** Most requests of a run with its discovery, without those that exceed the rate limit. */
const mostRequests = 500;

/**
 * The whole suite on the built-in service, as it is and behind a delay: checks, requests, wall time and CPU
 * time of each section (milliseconds), of the first one with discovery. The service runs in the same thread, so
 * its CPU time is in there.
 */
export const conformanceBench: Bench = {
  summary: "checks, requests, time and CPU of the suite by section",
  parts: Object.keys(parts),
  async run(io, words) {
    let isWithin = true;
    for (const [name, { delayMilliseconds, mostSeconds }] of Object.entries(parts)) {
      if (words.length > 0 && !words.includes(name)) continue;
      const rows = await runSuite(io, delayMilliseconds);
      const total = totalOf(rows);
      const polite = totalOf(rows.filter(({ section }) => section !== sections.limits)).requests;
      io.stdout.write(`${name}: each response is delayed by ${delayMilliseconds} ms\n${renderTable(rows)}`);
      const limits = [
        held(
          io.stdout,
          `${polite} requests without ${sections.limits}, at most ${mostRequests}`,
          polite <= mostRequests,
        ),
        held(
          io.stdout,
          `${(total.wall / 1000).toFixed(1)} s, at most ${mostSeconds} s`,
          total.wall <= mostSeconds * 1000,
        ),
      ];
      isWithin &&= limits.every(Boolean);
    }
    return isWithin ? 0 : 1;
  },
};

async function runSuite({ signal }: BenchIo, delayMilliseconds: number): Promise<Row[]> {
  let requests = 0;
  const counted: WireChange = (send) => (request) => {
    requests++;
    return send(request);
  };
  const wire = [counted, ...(delayMilliseconds > 0 ? [delayedBy(delayMilliseconds)] : [])];
  const service = await startService({ rate: 30, burst: 350, wire });
  await using _stopped = { [Symbol.asyncDispose]: () => service.stop() };
  const target = { ...service, name: "embedded", keyVariables, fieldNames: {}, timeoutMilliseconds: 10_000 };
  const rows: Row[] = [];
  let before = { requests: 0, wall: performance.now(), cpu: cpuMilliseconds() };
  // Sections of one part overlap: a row has what was added since the one before it ended.
  const addRow = ({ heading: section, results: { length: checks } }: HeadingDone) => {
    const now = { requests, wall: performance.now(), cpu: cpuMilliseconds() };
    const { requests: sent, wall, cpu } = before;
    rows.push({ section, checks, requests: requests - sent, wall: now.wall - wall, cpu: now.cpu - cpu });
    before = now;
  };
  await judgeService({ target, maxRequests: 2000, signal, onHeading: addRow });
  return rows;
}

const delayedBy =
  (milliseconds: number): WireChange =>
  (send) =>
  async (request) => {
    await setTimeout(milliseconds);
    return await send(request);
  };

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function totalOf(rows: readonly Row[]): Row {
  const sum = (of: Exclude<keyof Row, "section">) => rows.reduce((total, row) => total + row[of], 0);
  return {
    section: "total",
    checks: sum("checks"),
    requests: sum("requests"),
    wall: sum("wall"),
    cpu: sum("cpu"),
  };
}

function renderTable(rows: readonly Row[]): string {
  const cell = (value: number) => value.toFixed(0).padStart(10);
  const line = ({ section, checks, requests, wall, cpu }: Row) =>
    `${section.slice(0, 52).padEnd(54)}${cell(checks)}${cell(requests)}${cell(wall)}${cell(cpu)}`;
  const heading = `${"section".padEnd(54)}${["checks", "requests", "wall ms", "cpu ms"].map((name) => name.padStart(10)).join("")}`;
  return `${[heading, ...rows.map(line), line(totalOf(rows))].join("\n")}\n`;
}
