import type { CheckReport } from "../../conformance/engine/provided.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import { openChoice } from "../run/open-target.ts";
import { discoverThrough } from "../run/run-conformance.ts";
import { runSuite } from "../run/run-suite.ts";
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
 * of the suite's thread (milliseconds). The service runs in another thread of the process.
 */
export const conformanceBench: Bench = {
  summary: "checks, requests, time and CPU of the suite by section",
  run: benchConformance,
};

async function benchConformance({ stdout, signal }: BenchIo): Promise<number> {
  await using opened = await openChoice({ kind: "embedded", timeoutMilliseconds: 10_000 });
  const { target } = opened;
  const maxRequests = 2000;
  const started = performance.now();
  const { discovery, http } = await discoverThrough({ target, maxRequests, signal });
  const discoveryWall = performance.now() - started;
  const selected = listChecks().map(({ id }) => id);
  const { reports } = await runSuite(
    { target, maxRequests, discovery, http, selected },
    { progress: () => undefined, signal },
  );
  const rows = [
    { section: "discovery", checks: 0, requests: http.sent, wall: discoveryWall, cpu: Number.NaN },
    ...rowsOf(reports, http.sent),
  ];
  stdout.write(renderTable(rows));
  return 0;
}

// Sections run in turn, the checks of a section side by side: a section cost what was added until its last report.
function rowsOf(reports: readonly CheckReport[], sentBefore: number): Row[] {
  const sections = Map.groupBy(reports, ({ file }) => file);
  let before = { requests: sentBefore, wall: 0, cpu: 0 };
  return [...sections].map(([section, own]) => {
    const traffic = own.map((report) => report.traffic);
    const until = {
      requests: Math.max(...traffic.map(({ requests }) => requests.total)),
      wall: Math.max(...traffic.map(({ cost }) => cost.wall)),
      cpu: Math.max(...traffic.map(({ cost }) => cost.cpu)),
    };
    const row = {
      section,
      checks: own.length,
      requests: until.requests - before.requests,
      wall: until.wall - before.wall,
      cpu: until.cpu - before.cpu,
    };
    before = until;
    return row;
  });
}

function renderTable(rows: readonly Row[]): string {
  const total = rows.reduce((sum, row) => ({
    section: "total",
    checks: sum.checks + row.checks,
    requests: sum.requests + row.requests,
    wall: sum.wall + row.wall,
    cpu: (Number.isNaN(sum.cpu) ? 0 : sum.cpu) + row.cpu,
  }));
  const cell = (value: number) => (Number.isNaN(value) ? "·" : value.toFixed(0)).padStart(10);
  const line = ({ section, checks, requests, wall, cpu }: Row) =>
    `${section.slice(0, 52).padEnd(54)}${cell(checks)}${cell(requests)}${cell(wall)}${cell(cpu)}`;
  const heading = `${"section".padEnd(54)}${["checks", "requests", "wall ms", "cpu ms"].map((name) => name.padStart(10)).join("")}`;
  return `${[heading, ...rows.map(line), line(total)].join("\n")}\n`;
}
