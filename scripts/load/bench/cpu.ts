import { join } from "node:path";
import { startConstantServer } from "./constant-server.ts";
import { measure } from "./measured-process.ts";
import { locustVersion, writeK6Peer, writeLocustPeer } from "./peers.ts";
import { measureK6, measureOurs, type Shape, type Workplace } from "./workplace.ts";

const users = 4;
/** A closed loop, the same for all: as fast as it goes, so that waking up for a timer is in nobody's cost. */
interface Amount {
  readonly iterations: number;
  /** For Locust, which counts time and not iterations. */
  readonly seconds: number;
}
const short: Amount = { iterations: 4000, seconds: 3 };
const long: Amount = { iterations: 24_000, seconds: 13 };
/** The scenario's own schedule, which the flags put aside. */
const shape: Shape = { rate: 1, seconds: 1, users };
const rounds = 3;

type Runner = (baseUrl: string, amount: Amount) => Promise<{ cpuSeconds: number }>;

/**
 * CPU of the generator for one lookup: the slope between a short and a long run, so that the start is not in
 * it; the median of a few rounds, taken in turn, so that a busy machine troubles all alike.
 */
export async function benchCpu(work: Workplace): Promise<void> {
  const steady = await startConstantServer(false);
  const changing = await startConstantServer(true);
  const k6 =
    (path: string): Runner =>
    (baseUrl, amount) =>
      measureK6(work, path, baseUrl, shape, { flags: flagsFor(amount) });
  const ours: Runner = (baseUrl, amount) => measureOurs(work, baseUrl, shape, flagsFor(amount));
  const locust = await locustRunner(work);
  const contestants: [title: string, server: typeof steady, runner: Runner][] = [
    ["bare k6", steady, k6(await writeK6Peer("bare", work.folder))],
    ["k6, status and one field of the JSON", steady, k6(await writeK6Peer("json", work.folder))],
    ["shelfcheck, every answer checked, products as they are", steady, ours],
    ["shelfcheck, every answer checked, no two answers alike", changing, ours],
    ["k6 with ajv's standalone code as it comes", steady, k6(await writeK6Peer("naive", work.folder))],
    ...(locust === undefined
      ? []
      : [[`Locust ${locustVersion} FastHttpUser with a JSON check`, steady, locust] as const]
    ).map(([title, server, runner]): [string, typeof steady, Runner] => [title, server, runner]),
  ];
  const costs = contestants.map((): number[] => []);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [place, [, server, runner]] of contestants.entries()) {
        costs[place]?.push(await slope(server, runner));
      }
    }
  } finally {
    await Promise.all([steady.stop(), changing.stop()]);
  }
  const medians = costs.map((each) => each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)] ?? 0);
  work.print(`CPU of the generator for a lookup, closed loop of ${users}, median of ${rounds} rounds`);
  for (const [place, [title]] of contestants.entries()) {
    const cost = medians[place] ?? 0;
    const all = (costs[place] ?? []).map((each) => each.toFixed(0)).join(" ");
    work.print(
      `  ${cost.toFixed(0).padStart(5)} us  ${(cost / (medians[0] ?? 1)).toFixed(2)}x  ${title}  (${all})`,
    );
  }
}

function flagsFor({ iterations }: Amount): string[] {
  return ["--vus", `${users}`, "--iterations", `${iterations}`];
}

async function slope(server: { baseUrl: string; requests(): number }, run: Runner): Promise<number> {
  const before = server.requests();
  const first = await run(server.baseUrl, short);
  const between = server.requests();
  const second = await run(server.baseUrl, long);
  const more = server.requests() - between - (between - before);
  return ((second.cpuSeconds - first.cpuSeconds) * 1e6) / more;
}

/** Locust in a virtual environment of the bench; undefined, and said, where it cannot be installed. */
async function locustRunner(work: Workplace): Promise<Runner | undefined> {
  const { folder, signal, print } = work;
  const venv = join(folder, "locust");
  const options = { env: process.env, cwd: folder, signal };
  print(`  peers: python3 -m venv locust && locust/bin/pip install locust==${locustVersion}`);
  await measure(["python3", "-m", "venv", venv], options);
  const { code } = await measure(
    [join(venv, "bin/pip"), "install", "--quiet", `locust==${locustVersion}`],
    options,
  );
  if (code !== 0) {
    print("  Locust could not be installed: left out");
    return undefined;
  }
  const file = await writeLocustPeer(folder);
  return (baseUrl, { seconds }) => {
    const host = baseUrl.replace(/\/v1$/, "");
    const args = [
      "-f",
      file,
      "--headless",
      "-u",
      `${users}`,
      "-r",
      `${users}`,
      "-t",
      `${seconds}s`,
      "-H",
      host,
    ];
    const env = { ...process.env, SHELFCHECK_API_KEY: "bench" };
    return measure([join(venv, "bin/locust"), ...args, "--only-summary"], {
      ...options,
      env: { ...env, SHELFCHECK_FIXTURES: join(folder, "fixtures.json") },
    });
  };
}
