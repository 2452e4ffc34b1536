import type { PromiseResult } from "./bench.ts";
import { startConstantServer } from "./constant-server.ts";
import { median, titleIn } from "./costs.ts";
import { type LoadShape, measureK6, measureOurs, type Workplace } from "./measure.ts";
import { writeK6Peer } from "./peers.ts";

const users = 1000;
const few = 50;
/** Memory of a virtual user, above bare k6. The measured value differs by 0.05 from run to run. */
const mostMegabytes = 0.15;
/** The largest memory depends on when Go collects garbage. */
const memoryRounds = 3;
const megabyte = 1e6;

/**
 * Memory of a virtual user: with 1,000 and 50 of them under the same traffic, in shelfcheck and in bare k6.
 * Both collect garbage alike, which would otherwise count as users' memory; the third row is as of `load`.
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
      work.print(`  ${title}: ${median(each).toFixed(3)} MB a virtual user, the median`);
    const [bareEach = 0, ourEach = 0] = contestants.map(({ each }) => median(each));
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
