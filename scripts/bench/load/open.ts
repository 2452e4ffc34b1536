import { setTimeout } from "node:timers/promises";
import { startConstantServer } from "./constant-server.ts";
import { atMost, bareTitle, type Costs, mostLookup, printCosts, titleIn } from "./costs.ts";
import { type MeasuredCommand, type Shape, startK6, startOurs, type Workplace } from "./measure.ts";
import { writeK6Peer } from "./peers.ts";
import type { PromiseResult } from "./promises.ts";

const rate = 400;
const users = 20;
const rounds = 5;
const roundSeconds = 12;
/** From the start of the last process until all send at their rate. */
const startSeconds = 4;
const shape: Shape = { rate, users, seconds: startSeconds + rounds * roundSeconds + 4 };

const oursTitle = "shelfcheck, every response checked";

/**
 * CPU of the generator for one lookup in the open model: each lookup wakes a virtual user that is no longer in the caches of
 * the processor. How long that takes depends on everything else that happens on the machine, by more than half within a few
 * seconds. So all contestants run at the same time, each with a server of its own, and their CPU is read together.
 */
export async function benchOpen(work: Workplace): Promise<PromiseResult[]> {
  const bare = await writeK6Peer("bare", work.folder);
  const field = await writeK6Peer("json", work.folder);
  const { beside } = work;
  const running = [
    await startContestant(bareTitle, (baseUrl) => startK6(work, bare, baseUrl, shape)),
    await startContestant("k6, status and one field of the JSON", (baseUrl) =>
      startK6(work, field, baseUrl, shape),
    ),
    await startContestant(oursTitle, (baseUrl) => startOurs(work, baseUrl, shape)),
  ];
  if (beside !== undefined) {
    running.push(
      await startContestant(titleIn(beside, oursTitle), (baseUrl) =>
        startOurs(work, baseUrl, shape, { checkout: beside }),
      ),
    );
  }
  try {
    await setTimeout(startSeconds * 1000, undefined, { signal: work.signal });
    let before = await readAll(running);
    for (let round = 0; round < rounds; round += 1) {
      await setTimeout(roundSeconds * 1000, undefined, { signal: work.signal });
      const after = await readAll(running);
      for (const [place, { costs }] of running.entries()) {
        costs.microseconds.push(costOf(before[place], after[place]));
      }
      before = after;
    }
    await Promise.all(running.map(({ command }) => command.usage));
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()));
  }
  const all = running.map(({ costs }) => costs);
  printCosts(
    work,
    `CPU of the generator for a lookup, open model at ${rate}/s, no two responses alike: ${rounds} rounds, all at the same time`,
    all,
  );
  return [atMost(mostLookup, "lookups, no two responses alike, open model", all, oursTitle)];
}

interface Contestant {
  readonly costs: Costs;
  readonly server: Awaited<ReturnType<typeof startConstantServer>>;
  readonly command: MeasuredCommand;
}

async function startContestant(
  title: string,
  start: (baseUrl: string) => MeasuredCommand | Promise<MeasuredCommand>,
): Promise<Contestant> {
  const server = await startConstantServer(true);
  const command = await start(server.baseUrl);
  return { costs: { title, to: bareTitle, microseconds: [] }, server, command };
}

/** CPU and requests of a contestant until now. */
interface Reading {
  readonly cpuSeconds: number;
  readonly requests: number;
}

function readAll(running: readonly Contestant[]): Promise<Reading[]> {
  return Promise.all(
    running.map(async ({ command, server }) => ({
      cpuSeconds: await command.cpuSeconds(),
      requests: server.requests(),
    })),
  );
}

/** Microseconds of CPU of a request between two readings. */
function costOf(before?: Reading, after?: Reading): number {
  if (before === undefined || after === undefined) return Number.NaN;
  return ((after.cpuSeconds - before.cpuSeconds) * 1e6) / (after.requests - before.requests);
}
