import { startConstantServer } from "./constant-server.ts";
import { measureK6, measureOurs, type Shape, type Workplace } from "./measure.ts";
import { writeK6Peer } from "./peers.ts";
import type { PromiseResult } from "./promises.ts";

const users = 1000;
const few = 50;
const megabyte = 1e6;
const soakRate = 50;
const soakSeconds = 600;

/** Memory of a virtual user: with 1,000 and with 50 of them under the same traffic, in shelfcheck and in bare k6. */
export async function benchMemory(work: Workplace): Promise<PromiseResult[]> {
  const server = await startConstantServer(true);
  try {
    const bare = await writeK6Peer("bare", work.folder);
    const peak = async (run: (shape: Shape) => Promise<{ memoryBytes: readonly number[] }>, count: number) =>
      Math.max(...(await run({ rate: 400, seconds: 15, users: count })).memoryBytes) / megabyte;
    const contestants = {
      "bare k6": (shape: Shape) => measureK6(work, bare, server.baseUrl, shape),
      shelfcheck: (shape: Shape) => measureOurs(work, server.baseUrl, shape),
    };
    work.print(`Memory at ${users} and at ${few} virtual users`);
    const perUser: number[] = [];
    for (const [title, run] of Object.entries(contestants)) {
      const [small, large] = [await peak(run, few), await peak(run, users)];
      const each = (large - small) / (users - few);
      perUser.push(each);
      work.print(
        `  ${title}: ${large.toFixed(0)} MB and ${small.toFixed(0)} MB, ${each.toFixed(3)} MB a virtual user`,
      );
    }
    const [bareEach = 0, ourEach = 0] = perUser;
    return [
      {
        promise: `memory at ${users} virtual users at most 0.3 MB each above bare k6`,
        measured: `${(ourEach - bareEach).toFixed(3)} MB above`,
        holds: ourEach - bareEach <= 0.3,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** A soak test: memory of the last quarter compared with that of the second. */
export async function benchSoak(work: Workplace): Promise<PromiseResult[]> {
  const server = await startConstantServer(true);
  try {
    const { memoryBytes } = await measureOurs(work, server.baseUrl, {
      rate: soakRate,
      seconds: soakSeconds,
      users: 50,
    });
    const samples = memoryBytes.filter((bytes) => bytes > 0);
    const quarter = (from: number) => {
      const part = samples.slice(
        Math.floor((from * samples.length) / 4),
        Math.floor(((from + 1) * samples.length) / 4),
      );
      return part.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, part.length) / 1e6;
    };
    const quarters = [0, 1, 2, 3].map(quarter);
    const growth = ((quarters[3] ?? 0) / (quarters[1] ?? 1) - 1) * 100;
    work.print(
      `Soak of ${soakSeconds} s at ${soakRate}/s: memory by quarter ${quarters.map((mb) => mb.toFixed(1)).join(", ")} MB`,
    );
    return [
      {
        promise: `${soakSeconds / 60} minutes: memory of the last quarter within 5 % of the second`,
        measured: `${growth.toFixed(1)} % above`,
        holds: Math.abs(growth) <= 5,
      },
    ];
  } finally {
    await server.stop();
  }
}
