import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environmentOf, serveHere } from "../../test/support/command.ts";
import { type Bench, type BenchIo, held } from "./bench.ts";
import { measure } from "./measure.ts";

const rounds = 5;

/** Milliseconds of time, and of CPU, which depends less on other work on the machine. */
type Unit = "wall" | "CPU";

/** What is measured of a checkout. */
interface Subject {
  readonly title: string;
  /** Which of the two is limited. */
  readonly unit: Unit;
  /** Largest median, in milliseconds. */
  readonly most: number;
  /** Arguments of the command line. */
  readonly argv: readonly string[];
  /** It judges the reference service, which runs in the process of the bench. */
  readonly asks?: true;
}

const subjects: readonly Subject[] = [
  { title: "--help", unit: "wall", most: 120, argv: ["--help"] },
  { title: "--version", unit: "wall", most: 120, argv: ["--version"] },
  { title: "conformance --plan", unit: "wall", most: 350, argv: ["conformance", "--plan"] },
  {
    title: "conformance, without the service",
    unit: "CPU",
    most: 1500,
    argv: ["conformance"],
    asks: true,
  },
];

/**
 * How long commands take to start, and the CPU of the suite beside that of the service; with another checkout
 * both in turn, so that other work affects both.
 */
export const startupBench: Bench = {
  summary: "time to start, and CPU of the suite",
  takesBeside: true,
  async run(io) {
    const here = fileURLToPath(new URL("../..", import.meta.url));
    const checkouts = [here, ...(io.beside === undefined ? [] : [io.beside])];
    let isHeld = true;
    for (const subject of subjects) {
      const measured = checkouts.map((): Record<Unit, number>[] => []);
      for (let round = 0; round < rounds; round++) {
        for (const [place, checkout] of checkouts.entries()) {
          io.signal.throwIfAborted();
          measured[place]?.push(await runOnce(subject, join(checkout, "scripts/cli/shelfcheck.cjs"), io));
        }
      }
      const { title, unit, most } = subject;
      for (const [place, runs] of measured.entries()) {
        const [wall, cpu] = [sorted(runs, "wall"), sorted(runs, "CPU")];
        io.stdout.write(
          `${title.padEnd(34)}${shown("wall", wall)}${shown("CPU", cpu)}  ${checkouts[place]}\n`,
        );
        if (place > 0) continue;
        const median = (unit === "wall" ? wall : cpu)[middle] ?? Number.NaN;
        isHeld = held(io.stdout, `median ${unit} at most ${most} ms`, median <= most) && isHeld;
      }
    }
    return isHeld ? 0 : 1;
  },
};

const middle = Math.floor(rounds / 2);

function sorted(runs: readonly Record<Unit, number>[], unit: Unit): number[] {
  return runs.map((run) => run[unit]).toSorted((a, b) => a - b);
}

/** The minimum, median and maximum of a sorted list. */
function shown(unit: Unit, values: readonly number[]): string {
  const figures = [values[0], values[middle], values.at(-1)].map((value = Number.NaN) =>
    value.toFixed(0).padStart(6),
  );
  return `  ${unit} ms (min, median, max of ${rounds})${figures.join("")}`;
}

async function runOnce({ argv, asks }: Subject, command: string, io: BenchIo): Promise<Record<Unit, number>> {
  // A new service each time: the suite uses up its rate limit.
  await using service = asks === true ? await serveHere(limit, io.folder) : undefined;
  const env = { ...io.env, CI: "", ...(service && environmentOf(service.ready)) };
  const startedAt = performance.now();
  const { code, cpuSeconds, output } = await measure([process.execPath, command, ...argv], {
    env,
    cwd: io.folder,
    signal: io.signal,
  });
  const wall = performance.now() - startedAt;
  if (code !== 0) throw new Error(`${command} ${argv.join(" ")} ended with exit code ${code}:\n${output}`);
  return { wall, CPU: cpuSeconds * 1000 };
}

/** The limit of the built-in service that a run starts for itself. */
const limit = ["--rate", "40", "--burst", "450"];
