import { benchConformance } from "./bench/conformance.ts";
import { didYouMean } from "./config/did-you-mean.ts";

// `npm run bench -- NAME`: prints a table of what was measured on this machine. Never part of a test.
const benches = {
  conformance: benchConformance,
} as const satisfies Record<
  string,
  (io: { stdout: NodeJS.WriteStream; signal: AbortSignal }) => Promise<void>
>;

const name = process.argv[2] ?? "";
if (!(name in benches)) {
  process.stderr.write(`npm run bench -- NAME: ${didYouMean(name, Object.keys(benches))}\n`);
  process.exitCode = 2;
} else {
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort());
  await benches[name as keyof typeof benches]({ stdout: process.stdout, signal: interrupt.signal });
}
