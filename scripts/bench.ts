import { benchService } from "../service/bench/service.ts";
import { benchCompare } from "./bench/compare.ts";
import { benchConformance } from "./bench/conformance.ts";
import { benchReport } from "./bench/report.ts";
import { didYouMean } from "./config/did-you-mean.ts";
import { type BenchPart, benchLoad } from "./load/bench/bench.ts";

interface BenchIo {
  readonly stdout: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

// `npm run bench -- NAME [PART …]`: prints tables of what was measured on this machine. Never part of a test.
const benches = {
  compare: (io, numbers) => benchCompare(io, ...numbers.map(Number)),
  conformance: async (io) => {
    await benchConformance(io);
    return 0;
  },
  load: (io, parts) => benchLoad(io, parts.length === 0 ? undefined : (parts as BenchPart[])),
  report: (io) => benchReport({ ...io, env: process.env }),
  service: (io, parts) => benchService({ ...io, env: process.env, parts }),
} as const satisfies Record<string, (io: BenchIo, parts: readonly string[]) => Promise<number>>;

const [name = "", ...parts] = process.argv.slice(2);
if (!Object.hasOwn(benches, name)) {
  process.stderr.write(`npm run bench -- NAME: ${didYouMean(name, Object.keys(benches))}\n`);
  process.exitCode = 2;
} else {
  const interruption = new AbortController();
  process.once("SIGINT", () => interruption.abort());
  const bench = benches[name as keyof typeof benches];
  process.exitCode = await bench({ stdout: process.stdout, signal: interruption.signal }, parts);
}
