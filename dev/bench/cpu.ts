import type { PromiseResult } from "./bench.ts";
import { startConstantServer } from "./constant-server.ts";
import { atMost, bareTitle, type Costs, microsecondsOf, most, printCosts, titleIn } from "./costs.ts";
import { collectorOfLoad, type LoadShape, measureK6, measureOurs, type Workplace } from "./measure.ts";
import { writeK6Peer } from "./peers.ts";

const users = 4;
/** A closed loop without pauses, so that no cost contains waking up for a timer. */
const shortIterations = 4000;
const longIterations = 24_000;
/** Walks of several pages, and batches, of which each costs as much as several lookups. */
const fewer = 10;
/** For walks in a closed loop: a rate and a time that are never reached. */
const unlimited: LoadShape = { rate: 100_000, seconds: 600, users };
/** The scenario's own schedule, which the flags of a closed loop override. */
const closed: LoadShape = { rate: 1, seconds: 1, users };
const rounds = 5;

type Runner = (baseUrl: string, iterations: number) => Promise<{ cpuSeconds: number }>;
type Server = Awaited<ReturnType<typeof startConstantServer>>;

interface Contestant {
  readonly title: string;
  /** What it is compared with, by title. Default: bare k6's lookups, with the same room for garbage */
  readonly to?: string;
  readonly server: Server;
  readonly run: Runner;
}

const steadyTitle = "shelfcheck, every response checked, products as they are";
const changingTitle = "shelfcheck, every response checked, no two alike";
const pagesBare = "bare k6, pages of 50 products";
const pagesOurs = "shelfcheck, every page checked, no two alike";
const batchesBare = "bare k6, batches of 1 to 50 items";
const batchesOurs = "shelfcheck, every batch checked, no two alike";

/**
 * CPU of the generator for one lookup: the slope between a short and a long run, without the start; the
 * median of rounds in turn, so that a busy machine affects all alike. A ratio is the median of the rounds'.
 */
export async function benchCpu(work: Workplace): Promise<PromiseResult[]> {
  const steady = await startConstantServer(false);
  const changing = await startConstantServer(true);
  try {
    const measured: (Contestant & Costs)[] = (await contestantsFor(work, steady, changing)).map((each) => ({
      to: bareTitle,
      ...each,
      microseconds: [],
    }));
    for (let round = 0; round < rounds; round += 1) {
      for (const { server, run, microseconds } of measured) microseconds.push(await slope(server, run));
    }
    printCosts(
      work,
      `CPU of the generator for a request, ${work.k6Version}, closed loop of ${users}, with the garbage settings of load: medians of ${rounds} rounds, and of the ratios in each of them`,
      measured,
    );
    return promisesOf(measured);
  } finally {
    await Promise.all([steady.stop(), changing.stop()]);
  }
}

async function contestantsFor(work: Workplace, steady: Server, changing: Server): Promise<Contestant[]> {
  const ours =
    (checkout?: string): Runner =>
    (baseUrl, iterations) =>
      measureOurs(work, baseUrl, closed, { flags: flagsFor(iterations), checkout });
  const larger =
    (scenario: "paging" | "batch", checkout?: string): Runner =>
    (baseUrl, iterations) =>
      measureOurs(work, baseUrl, unlimited, { flags: flagsFor(iterations / fewer), scenario, checkout });
  // Bare k6 has as much room for garbage: otherwise the setting would be compared, and not the script.
  const equalRoom = await collectorOfLoad(closed);
  const bare = async (peer: "bare" | "bare-pages" | "bare-batches"): Promise<Runner> => {
    const path = await writeK6Peer(peer, work.folder);
    const part = peer === "bare" ? 1 : fewer;
    return (baseUrl, iterations) =>
      measureK6(work, path, baseUrl, closed, { flags: flagsFor(iterations / part), variables: equalRoom });
  };
  const contestants: Contestant[] = [
    { title: bareTitle, server: steady, run: await bare("bare") },
    { title: steadyTitle, server: steady, run: ours() },
    { title: changingTitle, server: changing, run: ours() },
    { title: pagesBare, to: pagesBare, server: changing, run: await bare("bare-pages") },
    { title: pagesOurs, to: pagesBare, server: changing, run: larger("paging") },
    { title: batchesBare, to: batchesBare, server: changing, run: await bare("bare-batches") },
    { title: batchesOurs, to: batchesBare, server: changing, run: larger("batch") },
  ];
  const { beside } = work;
  if (beside !== undefined) {
    contestants.push(
      { title: titleIn(beside, changingTitle), server: changing, run: ours(beside) },
      { title: titleIn(beside, pagesOurs), to: pagesBare, server: changing, run: larger("paging", beside) },
      {
        title: titleIn(beside, batchesOurs),
        to: batchesBare,
        server: changing,
        run: larger("batch", beside),
      },
    );
  }
  return contestants;
}

function promisesOf(all: readonly Costs[]): PromiseResult[] {
  return [
    atMost(most.lookup, "lookups, products as they are", all, steadyTitle),
    atMost(most.lookup, "lookups, no two responses alike", all, changingTitle),
    atMost(most.page, "pages of 50 products", all, pagesOurs),
    atMost(most.batch, "batches of 1 to 50 items", all, batchesOurs),
  ];
}

function flagsFor(iterations: number): string[] {
  return ["--vus", `${users}`, "--iterations", `${iterations}`];
}

async function slope(server: Server, run: Runner): Promise<number> {
  const before = server.requests();
  const first = await run(server.baseUrl, shortIterations);
  const between = server.requests();
  const second = await run(server.baseUrl, longIterations);
  const more = server.requests() - between - (between - before);
  return microsecondsOf(second.cpuSeconds - first.cpuSeconds, more);
}
