import jStat from "jstat";
import { startConstantServer } from "./constant-server.ts";
import { collectorOfLoad, measureK6, measureOurs, type Shape, type Workplace } from "./measure.ts";
import { locustRunner, locustVersion, writeK6Peer } from "./peers.ts";
import type { PromiseResult } from "./promises.ts";

const users = 4;
/** A closed loop without pauses, so that no cost contains waking up for a timer. */
interface Amount {
  readonly iterations: number;
  /** For runs of a fixed duration: Locust, and the open model. */
  readonly seconds: number;
}
const short: Amount = { iterations: 4000, seconds: 3 };
const long: Amount = { iterations: 24_000, seconds: 13 };
/** Walks of several pages, and batches, of which each costs as much as several lookups. */
const fewer = 10;
/** For walks in a closed loop: a rate and a time that are never reached. */
const unlimited: Shape = { rate: 100_000, seconds: 600, users };
/** The scenario's own schedule, which the flags of a closed loop override. */
const closed: Shape = { rate: 1, seconds: 1, users };
/** Rate of the open model, with the same executor in shelfcheck and in bare k6. */
const openRate = 400;
const openUsers = 20;
const rounds = 5;
const mostLookup = 1.15;
const mostLarger = 1.25;

type Runner = (baseUrl: string, amount: Amount) => Promise<{ cpuSeconds: number }>;
type Server = Awaited<ReturnType<typeof startConstantServer>>;

interface Contestant {
  readonly title: string;
  readonly server: Server;
  readonly run: Runner;
  /** Microseconds of each round. */
  readonly costs: number[];
}

const bare = "bare k6";
const steadyTitle = "shelfcheck, every response checked, products as they are";
const changingTitle = "shelfcheck, every response checked, no two alike";
const bareRarely = "bare k6, collecting garbage as rarely as load makes it";
const plainTitle = "shelfcheck under plain k6, every response checked, no two alike";
const locustTitle = `Locust ${locustVersion} FastHttpUser with a JSON check`;
const openBare = `bare k6, open model at ${openRate}/s`;
const openField = `k6, status and one field of the JSON, open model at ${openRate}/s`;
const openOurs = `shelfcheck, every response checked, no two alike, open model at ${openRate}/s`;
const pagesBare = "bare k6, pages of 50 products";
const pagesOurs = "shelfcheck, every page checked, no two alike";
const batchesBare = "bare k6, batches of 1 to 50 items";
const batchesOurs = "shelfcheck, every batch checked, no two alike";
/** What each is compared with, if not with bare k6's lookups. */
const others: Readonly<Record<string, string>> = {
  [openBare]: openBare,
  [openField]: openBare,
  [openOurs]: openBare,
  [pagesBare]: pagesBare,
  [pagesOurs]: pagesBare,
  [batchesBare]: batchesBare,
  [batchesOurs]: batchesBare,
};

/**
 * CPU of the generator for one lookup: the slope between a short and a long run, so that the start does not count; the
 * median of a few rounds, taken in turn, so that a busy machine affects all alike. A ratio is the median of those of the rounds.
 */
export async function benchCpu(work: Workplace): Promise<PromiseResult[]> {
  const steady = await startConstantServer(false);
  const changing = await startConstantServer(true);
  try {
    const contestants = await contestantsFor(work, steady, changing);
    for (let round = 0; round < rounds; round += 1) {
      for (const { server, run, costs } of contestants) costs.push(await slope(server, run));
    }
    return judge(work, contestants);
  } finally {
    await Promise.all([steady.stop(), changing.stop()]);
  }
}

async function contestantsFor(work: Workplace, steady: Server, changing: Server): Promise<Contestant[]> {
  const k6 =
    (path: string, variables: Record<string, string> = {}): Runner =>
    (baseUrl, amount) =>
      measureK6(work, path, baseUrl, closed, { flags: flagsFor(amount), variables });
  const ours =
    (plain: boolean): Runner =>
    (baseUrl, amount) =>
      measureOurs(work, baseUrl, closed, { flags: flagsFor(amount), plain });
  const fewOf = ({ iterations, seconds }: Amount): Amount => ({ iterations: iterations / fewer, seconds });
  const larger =
    (scenario: "paging" | "batch"): Runner =>
    (baseUrl, amount) =>
      measureOurs(work, baseUrl, unlimited, { flags: flagsFor(fewOf(amount)), scenario });
  const largerBare = async (peer: "bare-pages" | "bare-batches"): Promise<Runner> => {
    const path = await writeK6Peer(peer, work.folder);
    return (baseUrl, amount) => measureK6(work, path, baseUrl, closed, { flags: flagsFor(fewOf(amount)) });
  };
  const open = ({ seconds }: Amount): Shape => ({ rate: openRate, seconds, users: openUsers });
  const barePath = await writeK6Peer("bare", work.folder);
  const fieldPath = await writeK6Peer("json", work.folder);
  const locust = await locustRunner(work);
  const contestants: [title: string, server: Server, run: Runner][] = [
    [bare, steady, k6(barePath)],
    ["k6, status and one field of the JSON", steady, k6(fieldPath)],
    [steadyTitle, steady, ours(false)],
    [changingTitle, changing, ours(false)],
    [bareRarely, steady, k6(barePath, collectorOfLoad(closed))],
    [plainTitle, changing, ours(true)],
    ["k6 with ajv's standalone code as it comes", steady, k6(await writeK6Peer("naive", work.folder))],
    [openBare, steady, (baseUrl, amount) => measureK6(work, barePath, baseUrl, open(amount))],
    [openField, changing, (baseUrl, amount) => measureK6(work, fieldPath, baseUrl, open(amount))],
    [openOurs, changing, (baseUrl, amount) => measureOurs(work, baseUrl, open(amount))],
    [pagesBare, changing, await largerBare("bare-pages")],
    [pagesOurs, changing, larger("paging")],
    [batchesBare, changing, await largerBare("bare-batches")],
    [batchesOurs, changing, larger("batch")],
  ];
  if (locust !== undefined) {
    contestants.push([locustTitle, steady, (baseUrl, { seconds }) => locust(baseUrl, users, seconds)]);
  }
  return contestants.map(([title, server, run]) => ({ title, server, run, costs: [] }));
}

function judge({ print }: Workplace, contestants: readonly Contestant[]): PromiseResult[] {
  const costsOf = (title: string) => contestants.find((each) => each.title === title)?.costs;
  const medianOf = (title: string) => {
    const costs = costsOf(title);
    return costs && jStat.median(costs);
  };
  // Round by round: the speed of a machine changes more from one round to the next than within one.
  const ratio = (title: string, to: string) => {
    const compared = costsOf(to) ?? [];
    const costs = costsOf(title) ?? [];
    return jStat.median(costs.map((cost, round) => cost / (compared[round] ?? Number.NaN)));
  };
  print(
    `CPU of the generator for a request, closed loop of ${users}: medians of ${rounds} rounds, and of the ratios in each of them`,
  );
  for (const { title, costs } of contestants) {
    const all = costs.map((each) => each.toFixed(0)).join(" ");
    print(
      `  ${(medianOf(title) ?? 0).toFixed(0).padStart(5)} µs  ${ratio(title, others[title] ?? bare).toFixed(2)}x  ${title}  (${all})`,
    );
  }
  const within = (what: string, title: string, to: string, most: number): PromiseResult => ({
    promise: `CPU at most ${most} times that of bare k6: ${what}`,
    measured: `${ratio(title, to).toFixed(2)} times`,
    holds: ratio(title, to) <= most,
  });
  return [
    within("lookups, products as they are", steadyTitle, bare, mostLookup),
    within("lookups, no two responses alike", changingTitle, bare, mostLookup),
    within("lookups, no two responses alike, open model", openOurs, openBare, mostLookup),
    within("pages, each product of each checked", pagesOurs, pagesBare, mostLarger),
    within("batches, each product of each checked", batchesOurs, batchesBare, mostLarger),
    {
      promise: "below Locust FastHttpUser with a JSON check",
      measured:
        medianOf(locustTitle) === undefined
          ? "Locust could not be installed"
          : `${ratio(changingTitle, locustTitle).toFixed(2)} times`,
      holds: ratio(changingTitle, locustTitle) < 1,
    },
  ];
}

function flagsFor({ iterations }: Amount): string[] {
  return ["--vus", `${users}`, "--iterations", `${iterations}`];
}

async function slope(server: Server, run: Runner): Promise<number> {
  const before = server.requests();
  const first = await run(server.baseUrl, short);
  const between = server.requests();
  const second = await run(server.baseUrl, long);
  const more = server.requests() - between - (between - before);
  return ((second.cpuSeconds - first.cpuSeconds) * 1e6) / more;
}
