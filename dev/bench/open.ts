import { setTimeout } from "node:timers/promises";
import type { PromiseResult } from "./bench.ts";
import { startConstantServer } from "./constant-server.ts";
import { atMost, bareTitle, type Costs, microsecondsOf, most, printCosts, titleIn } from "./costs.ts";
import {
  collectorOfLoad,
  type LoadShape,
  type MeasuredCommand,
  startK6,
  startOurs,
  type Workplace,
} from "./measure.ts";
import { writeK6Peer } from "./peers.ts";

const rate = 400;
const users = 20;
const rounds = 9;
const roundSeconds = 12;
/** Before that: until all send at their rate, and Go has touched the memory that it collects later. */
const startSeconds = 8;
/** Each starts a little earlier than the last one, and the first one bundles the script. */
const spareSeconds = 5;
const shape: LoadShape = { rate, users, seconds: startSeconds + roundSeconds + spareSeconds };

const oursTitle = "shelfcheck, every response checked";

type Start = (baseUrl: string, shape: LoadShape) => MeasuredCommand | Promise<MeasuredCommand>;

type Contestant = Costs & { readonly start: Start };

/**
 * CPU of the generator for one lookup in the open model: each lookup wakes a virtual user that is no longer in the caches of
 * the processor. How much that takes depends on everything else that happens on the machine, and changes by half within
 * seconds. So all contestants run at the same time, each with a server of its own, and their CPU is read together. Each
 * round starts new processes, since two processes of the same program differ by a few percent, too.
 */
export async function benchOpen(work: Workplace): Promise<PromiseResult[]> {
  const contestants = await contestantsFor(work);
  for (let round = 0; round < rounds; round += 1) await measureRound(work, contestants);
  printCosts(
    work,
    `CPU of the generator for a lookup, ${work.k6Version}, all with the garbage settings of load, open model at ${rate}/s, no two responses alike: ${rounds} rounds, all at the same time`,
    contestants,
  );
  return [atMost(most.lookup, "lookups, no two responses alike, open model", contestants, oursTitle)];
}

async function contestantsFor(work: Workplace): Promise<Contestant[]> {
  const bare = await writeK6Peer("bare", work.folder);
  const field = await writeK6Peer("json", work.folder);
  const variables = await collectorOfLoad(shape);
  const ours =
    (checkout?: string): Start =>
    (baseUrl, own) =>
      startOurs(work, baseUrl, own, { checkout });
  const starts: [title: string, start: Start][] = [
    [bareTitle, (baseUrl, own) => startK6(work, bare, baseUrl, own, { variables })],
    [
      "k6, status and one field of the JSON",
      (baseUrl, own) => startK6(work, field, baseUrl, own, { variables }),
    ],
    [oursTitle, ours()],
  ];
  const { beside } = work;
  if (beside !== undefined) starts.push([titleIn(beside, oursTitle), ours(beside)]);
  return starts.map(([title, start]) => ({ title, start, to: bareTitle, microseconds: [] }));
}

async function measureRound({ signal }: Workplace, contestants: readonly Contestant[]): Promise<void> {
  const servers = await Promise.all(contestants.map(() => startConstantServer(true)));
  try {
    const running = await Promise.all(
      contestants.map(async ({ start, microseconds }, place) => {
        const server = servers[place] as (typeof servers)[number];
        // At slightly different rates, so that none always sends at the same moment as another, or just after it.
        const command = await start(server.baseUrl, { ...shape, rate: rate + place });
        return { server, command, microseconds };
      }),
    );
    const readAll = () =>
      Promise.all(
        running.map(async ({ server, command, microseconds }) => ({
          microseconds,
          cpuSeconds: await command.cpuSeconds(),
          requests: server.requests(),
        })),
      );
    await setTimeout(startSeconds * 1000, undefined, { signal });
    const before = await readAll();
    await setTimeout(roundSeconds * 1000, undefined, { signal });
    for (const [place, { microseconds, cpuSeconds, requests }] of (await readAll()).entries()) {
      const { cpuSeconds: cpuBefore = Number.NaN, requests: sentBefore = Number.NaN } = before[place] ?? {};
      microseconds.push(microsecondsOf(cpuSeconds - cpuBefore, requests - sentBefore));
    }
    await Promise.all(running.map(({ command }) => command.usage));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
