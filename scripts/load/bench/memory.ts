import { startConstantServer } from "./constant-server.ts";
import type { MustShow } from "./must-show.ts";
import { writeK6Peer } from "./peers.ts";
import { measureK6, measureOurs, type Shape, type Workplace } from "./workplace.ts";

const users = 1000;
const few = 50;
const megabyte = 1e6;

/** Memory of a virtual user: of 1,000 and of 50 of them under the same traffic, in ours and in bare k6. */
export async function benchMemory(work: Workplace): Promise<MustShow[]> {
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
