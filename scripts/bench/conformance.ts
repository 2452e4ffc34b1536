import { judgeService } from "../../conformance/engine/judge-service.ts";
import { openChoice } from "../run/open-target.ts";
import type { Bench, BenchIo } from "./bench.ts";

interface Row {
  readonly section: string;
  readonly checks: number;
  readonly requests: number;
  readonly wall: number;
  readonly cpu: number;
}

/**
 * Runs the whole suite on the built-in service and prints, for each section, its checks, requests, wall time and CPU time
 * (milliseconds). The service runs in the same thread, so its CPU time is in there.
 */
export const conformanceBench: Bench = {
  summary: "checks, requests, time and CPU of the suite by section",
  run: benchConformance,
};

async function benchConformance({ stdout, signal }: BenchIo): Promise<number> {
  await using opened = await openChoice({ kind: "embedded", timeoutMilliseconds: 10_000 });
  const rows: Row[] = [];
  let before = { requests: 0, wall: performance.now(), cpu: cpuMilliseconds() };
  // Sections run one after the other, so the cost of one is what was added since the previous one ended.
  const addRow = (section: string, checks: number, requests: number) => {
    const now = { requests, wall: performance.now(), cpu: cpuMilliseconds() };
    const { requests: sent, wall, cpu } = before;
    rows.push({ section, checks, requests: requests - sent, wall: now.wall - wall, cpu: now.cpu - cpu });
    before = now;
  };
  await judgeService({
    target: opened.target,
    maxRequests: 2000,
    signal,
    onDiscovered: (requests) => addRow("discovery", 0, requests),
    onHeading: ({ heading, results, requests }) => addRow(heading, results.length, requests),
  });
  stdout.write(renderTable(rows));
  return 0;
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function renderTable(rows: readonly Row[]): string {
  const total = rows.reduce((sum, row) => ({
    section: "total",
    checks: sum.checks + row.checks,
    requests: sum.requests + row.requests,
    wall: sum.wall + row.wall,
    cpu: sum.cpu + row.cpu,
  }));
  const cell = (value: number) => value.toFixed(0).padStart(10);
  const line = ({ section, checks, requests, wall, cpu }: Row) =>
    `${section.slice(0, 52).padEnd(54)}${cell(checks)}${cell(requests)}${cell(wall)}${cell(cpu)}`;
  const heading = `${"section".padEnd(54)}${["checks", "requests", "wall ms", "cpu ms"].map((name) => name.padStart(10)).join("")}`;
  return `${[heading, ...rows.map(line), line(total)].join("\n")}\n`;
}
