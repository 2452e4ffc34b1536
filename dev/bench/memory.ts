import { mkdtemp, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { bytesARequest } from "../../scripts/load/supervision.ts";
import { quantile } from "../../scripts/twin/latency.ts";
import type { PromiseResult } from "./bench.ts";
import { startChild, targetVariables } from "./child.ts";
import { startConstantServer } from "./constant-server.ts";
import { titleIn } from "./costs.ts";
import {
  collectorOfLoad,
  type LoadShape,
  measure,
  measureK6,
  measureOurs,
  type Workplace,
} from "./measure.ts";
import { writeK6Peer } from "./peers.ts";

const users = 1000;
const few = 50;
/** Memory of a virtual user, above bare k6. The measured value differs by 0.05 from run to run. */
const mostMegabytes = 0.15;
/** The largest memory depends on when Go collects garbage. */
const memoryRounds = 3;
const megabyte = 1e6;
const soakRate = 50;
const soakSeconds = 600;
/** Megabytes. */
const mostBeside = 120;
const mostFile = 10;

const entry = fileURLToPath(new URL("../../scripts/cli/shelfcheck.cjs", import.meta.url));

/**
 * Memory of a virtual user: with 1,000 and with 50 of them under the same traffic, in shelfcheck and in bare k6. The two
 * collect garbage alike, since otherwise garbage would count as memory of users; the third row is a run as `load` starts it.
 */
export async function benchMemory(work: Workplace): Promise<PromiseResult[]> {
  const server = await startConstantServer(true);
  try {
    const bare = await writeK6Peer("bare", work.folder);
    const { beside } = work;
    const peak = async (
      run: (shape: LoadShape) => Promise<{ memoryBytes: readonly number[] }>,
      count: number,
    ) => Math.max(...(await run({ rate: 400, seconds: 15, users: count })).memoryBytes) / megabyte;
    const contestants = [
      {
        title: "bare k6",
        run: (shape: LoadShape) => measureK6(work, bare, server.baseUrl, shape),
        each: [] as number[],
      },
      {
        title: "shelfcheck",
        run: (shape: LoadShape) => measureOurs(work, server.baseUrl, shape, { plain: true }),
        each: [],
      },
      {
        title: "shelfcheck, as load starts it",
        run: (shape: LoadShape) => measureOurs(work, server.baseUrl, shape),
        each: [],
      },
      ...(beside === undefined
        ? []
        : [
            {
              title: titleIn(beside, "shelfcheck"),
              run: (shape: LoadShape) =>
                measureOurs(work, server.baseUrl, shape, { plain: true, checkout: beside }),
              each: [],
            },
          ]),
    ];
    work.print(
      `Memory at ${users} and at ${few} virtual users, ${work.k6Version}, with Go's own settings for garbage unless a row says otherwise: ${memoryRounds} rounds`,
    );
    for (let round = 0; round < memoryRounds; round += 1) {
      for (const { title, run, each } of contestants) {
        const [small, large] = [await peak(run, few), await peak(run, users)];
        const perUser = (large - small) / (users - few);
        each.push(perUser);
        work.print(
          `  ${title}: ${large.toFixed(0)} MB and ${small.toFixed(0)} MB, ${perUser.toFixed(3)} MB a virtual user`,
        );
      }
    }
    for (const { title, each } of contestants)
      work.print(`  ${title}: ${quantile(each, 0.5).toFixed(3)} MB a virtual user, the median`);
    const [bareEach = 0, ourEach = 0] = contestants.map(({ each }) => quantile(each, 0.5));
    return [
      {
        promise: `memory at ${users} virtual users at most ${mostMegabytes} MB each above bare k6`,
        measured: `${(ourEach - bareEach).toFixed(3)} MB above`,
        holds: ourEach - bareEach <= mostMegabytes,
      },
    ];
  } finally {
    await server.stop();
  }
}

/**
 * Ten minutes of load: the memory of bare k6, of k6 with our script, and of shelfcheck's own process, which runs the command
 * as a user does, all at the same time. A longer run has the same number of periods, so its files are no larger.
 */
export async function benchSoak(work: Workplace): Promise<PromiseResult[]> {
  const [ofK6, ofCommand] = await Promise.all([soakOfK6(work), soakOfCommand(work)]);
  return [...ofK6, ...ofCommand];
}

/** k6 keeps the values of its trend metrics until it ends, so its memory grows; `load` allows for that. */
async function soakOfK6(work: Workplace): Promise<PromiseResult[]> {
  const [ofBare, ofOurs] = [await startConstantServer(true), await startConstantServer(true)];
  try {
    const shape = { rate: soakRate, seconds: soakSeconds, users: 50 };
    const bare = await writeK6Peer("bare", work.folder);
    const collector = await collectorOfLoad(shape);
    const [usage, usageOfOurs] = await Promise.all([
      measureK6(work, bare, ofBare.baseUrl, shape, { variables: collector }),
      measureOurs(work, ofOurs.baseUrl, shape),
    ]);
    grownMegabytes(work, "bare k6, collecting garbage as rarely as load makes it", usage.memoryBytes);
    const { grown } = grownMegabytes(work, "k6 with shelfcheck", usageOfOurs.memoryBytes);
    const grownARequest = (grown * megabyte) / ((soakRate * soakSeconds) / 2);
    // Go lets the garbage grow with what is kept. Near the memory limit it collects more often instead.
    const kept = grownARequest / (1 + Number(collector.GOGC) / 100);
    return [
      {
        promise: `k6 keeps at most the ${bytesARequest} bytes a request that load allows for`,
        measured: `${kept.toFixed(0)} bytes (memory grew by ${grownARequest.toFixed(0)} with garbage)`,
        holds: kept <= bytesARequest,
      },
    ];
  } finally {
    await Promise.all([ofBare.stop(), ofOurs.stop()]);
  }
}

async function soakOfCommand(work: Workplace): Promise<PromiseResult[]> {
  const { folder, env, signal } = work;
  await using service = await startChild({ kind: "service", options: {} }, work);
  const out = await mkdtemp(join(folder, "soak-"));
  const load = async (...flags: readonly string[]) => {
    const usage = await measure([process.execPath, entry, "load", ...flags, "--out", out], {
      env: { ...env, CI: "", ...targetVariables(service) },
      cwd: folder,
      signal,
    });
    if (usage.code !== 0) throw new Error(`load ended with exit code ${usage.code}:\n${usage.output}`);
    return usage;
  };
  // The first run after a change of the sources takes 18 MB more, since Node removes their types. The package has none.
  await load("--profile", "smoke");
  const soak = ["--profile", "soak", "--duration", `${soakSeconds}s`, "--rate", `${soakRate}`];
  const { memoryBytes } = await load(...soak);
  const files = await largestFiles(join(out, "latest"));
  const [[file, bytes]] = files;
  // k6 begins after discovery, within the first quarter.
  const most = Math.max(...memoryBytes.slice(memoryBytes.length / 4)) / megabyte;
  work.print(`  its largest files: ${files.map(([name, size]) => `${name} ${shownSize(size)}`).join(", ")}`);
  return [
    flatMemory(grownMegabytes(work, "shelfcheck beside k6", memoryBytes)),
    {
      promise: `memory of shelfcheck beside k6 at most ${mostBeside} MB`,
      measured: `${most.toFixed(0)} MB`,
      holds: most <= mostBeside,
    },
    {
      promise: `files of a run of any length at most ${mostFile} MB each`,
      measured: `${shownSize(bytes)} (${file})`,
      holds: bytes <= mostFile * megabyte,
    },
  ];
}

const shownSize = (bytes: number) => `${(bytes / megabyte).toFixed(2)} MB`;

/** Prints the mean memory of each quarter, and returns that of the second and the growth until the last: the first is the start. */
function grownMegabytes({ print }: Workplace, what: string, memoryBytes: readonly number[]) {
  const samples = memoryBytes.filter((bytes) => bytes > 0);
  const quarter = (from: number) => {
    const part = samples.slice(
      Math.floor((from * samples.length) / 4),
      Math.floor(((from + 1) * samples.length) / 4),
    );
    return part.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, part.length) / megabyte;
  };
  const quarters = [0, 1, 2, 3].map(quarter);
  print(
    `Soak of ${soakSeconds} s at ${soakRate}/s: memory of ${what} by quarter ${quarters.map((mb) => mb.toFixed(1)).join(", ")} MB`,
  );
  const [, second = Number.NaN, , last = Number.NaN] = quarters;
  return { second, grown: last - second };
}

function flatMemory({ second, grown }: ReturnType<typeof grownMegabytes>): PromiseResult {
  const percent = (grown / second) * 100;
  return {
    promise: `${soakSeconds / 60} minutes: memory of shelfcheck beside k6 in the last quarter at most 5 % above the second`,
    measured: `${percent.toFixed(1)} % above`,
    holds: percent <= 5,
  };
}

type NamedSize = readonly [name: string, bytes: number];

/** The largest files below a folder, the largest first. */
async function largestFiles(folder: string): Promise<[NamedSize, ...NamedSize[]]> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    names.map(async (name): Promise<NamedSize> => {
      const file = await stat(join(folder, name));
      return [name, file.isFile() ? file.size : 0];
    }),
  );
  const [largest = ["no file", 0], ...others] = sizes.toSorted(([, a], [, b]) => b - a);
  return [largest, ...others.slice(0, 4)];
}
