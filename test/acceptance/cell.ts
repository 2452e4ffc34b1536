import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import type { CanaryKeys } from "./bad-target.ts";
import { piecesOf } from "./key-pieces.ts";
import type { SystemProcess } from "./processes.ts";
import { watchProcesses } from "./watch.ts";

/** The expected end of a cell. */
export interface Expectation {
  /** Any of these exit codes, or the signal that ends the command. */
  readonly exit: readonly (number | NodeJS.Signals)[];
  /** Most seconds. Default: 60 */
  readonly seconds?: number;
  /** Text that the output must contain. */
  readonly says?: RegExp;
  /** Any of these codes is that of a finding on the load, or of a notice, in results.json. */
  readonly finds?: readonly Finding["code"][];
}

/** How a cell ended. */
export interface CellOutcome {
  readonly exit: number | string;
  readonly seconds: number;
  /** Most memory of the command and of all that it started, in megabytes. */
  readonly megabytes: number;
  /** Programs that were still running a few seconds after the command had ended. */
  readonly orphans: readonly string[];
  /** Where a piece of a key was found. */
  readonly leaks: readonly string[];
  /** Codes of the findings on the load and of the notices in the results, if there are any. */
  readonly codes: readonly Finding["code"][];
  readonly stdout: string;
  readonly stderr: string;
  /** Other problems that the cell found. */
  readonly wrong?: readonly string[];
}

/** One cell of the matrix: a command under difficult conditions. */
export interface Cell {
  readonly name: string;
  readonly expect: Expectation;
  /** Default: the canary keys */
  readonly keys?: Partial<CanaryKeys>;
  readonly run: (place: CellPlace) => Promise<CellOutcome>;
}

/** A folder for one cell, and the way to run the command line there. */
export interface CellPlace extends AsyncDisposable {
  readonly cwd: string;
  readonly keys: CanaryKeys;
  /** Writes the configuration file for a target, with a timeout of 8 seconds by default. */
  configure(target: ConfiguredTarget): Promise<void>;
  start(argv: readonly string[], options?: StartOptions): RunningCommand;
}

/** A target, as the configuration file of a cell names it. */
export interface ConfiguredTarget {
  readonly baseUrl: string;
  readonly categories: readonly string[];
  readonly timeoutMilliseconds?: number;
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Descriptors of files that take the place of the pipes. */
  readonly stdout?: number;
  readonly stderr?: number;
}

/** A running command. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** Seconds since the start. */
  readonly age: () => number;
  /** All output so far. */
  readonly output: () => string;
  readonly outcome: Promise<CellOutcome>;
}

const script = fileURLToPath(new URL("../../scripts/cli/entry.ts", import.meta.url));
const longestSeconds = 170;
const mostMegabytes = 800;
const markVariable = "SHELFCHECK_BENCH_CELL";

/** A key of so many characters, some of which are special in JSON, HTML, URLs, shells and regular expressions. */
export function canaryKey(length: number): string {
  const special = `"'\\<&>$\`%+/=.*[(^|{`;
  const random = randomBytes(length).toString("base64url");
  return Array.from({ length }, (_, place) =>
    length > 12 && place % 13 === 5 ? special.charAt((place * 7) % special.length) : random.charAt(place),
  ).join("");
}

/** Makes the folder of a cell, which disposing of the place removes. An abort kills what runs there. */
async function openPlace(keys: CanaryKeys, signal: AbortSignal): Promise<CellPlace> {
  const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-surroundings-"));
  return {
    cwd,
    keys,
    async configure({ baseUrl, categories, timeoutMilliseconds = 8000 }) {
      const target = { baseUrl, categories, timeoutMilliseconds, keys: { ...keyVariables } };
      const smoke = { ...profiles.smoke, stages: constantRate(10, 2), maxResponseSeconds: 1 };
      const config = { targets: { bad: target }, defaultTarget: "bad", profiles: { smoke } };
      await writeFile(join(cwd, "shelfcheck.config.mjs"), `export default ${JSON.stringify(config)};\n`);
    },
    start: (argv, options = {}) => start(argv, { cwd, keys, signal, ...options }),
    async [Symbol.asyncDispose]() {
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

type Start = StartOptions & Pick<CellPlace, "cwd" | "keys"> & { readonly signal: AbortSignal };

function start(argv: readonly string[], options: Start): RunningCommand {
  const { cwd, keys, signal, env, stdout, stderr } = options;
  const mark = randomBytes(8).toString("hex");
  const child = spawn(process.execPath, [script, ...argv], {
    cwd,
    env: environmentOf(options, mark),
    stdio: ["ignore", stdout ?? "pipe", stderr ?? "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const pieces = piecesOf(keys);
  const started = performance.now();
  const watch = watchProcesses(child.pid ?? 0, {
    mark: `${markVariable}=${mark}`,
    pieces,
    needsKey: ({ program, commandLine }) =>
      isK6(program, env?.K6_BIN !== undefined) && !commandLine.includes(" version"),
  });

  async function ended(): Promise<CellOutcome> {
    const kill = () => child.kill("SIGKILL");
    const timeout = setTimeout(kill, longestSeconds * 1000);
    signal.addEventListener("abort", kill);
    await once(child, stdout === undefined && stderr === undefined ? "close" : "exit");
    clearTimeout(timeout);
    signal.removeEventListener("abort", kill);
    const seconds = (performance.now() - started) / 1000;
    const { memoryBytes, leaks, orphans } = await watch.end();
    const written: string[] = [];
    for (const [name, text] of Object.entries(texts)) if (await pieces.find(text)) written.push(name);
    for (const file of await filesBelow(cwd)) {
      if (await pieces.find(await readFile(join(cwd, file), "latin1").catch(() => ""))) written.push(file);
    }
    const exit = seconds >= longestSeconds ? "no end" : (child.exitCode ?? child.signalCode ?? "?");
    const megabytes = memoryBytes / 1024 / 1024;
    return {
      exit,
      seconds,
      megabytes,
      orphans,
      leaks: [...leaks, ...written],
      codes: await codesIn(cwd),
      ...texts,
    };
  }

  return {
    child,
    age: () => (performance.now() - started) / 1000,
    output: () => texts.stdout + texts.stderr,
    outcome: ended(),
  };
}

function environmentOf({ keys, env }: Start, mark: string): NodeJS.ProcessEnv {
  const inherited = ["PATH", "HOME", "XDG_CACHE_HOME", "K6_BIN"].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return {
    ...Object.fromEntries(inherited),
    NO_COLOR: "1",
    // The cells share a cache of compiled code, because several hundred commands start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), "shelfcheck-surroundings-cache"),
    [keyVariables.primary]: keys.primary,
    [keyVariables.sameOrg]: keys.sameOrg,
    [keyVariables.otherOrg]: keys.otherOrg,
    [markVariable]: mark,
    ...env,
  };
}

/** The process of a script in place of k6 has the name of its interpreter. */
function isK6(program: SystemProcess["program"], isScript: boolean): boolean {
  return program.includes("k6") || (isScript && ["sh", "dash", "bash", "sleep"].includes(program));
}

/** The codes of a run's findings on the load and of its notices; none where there are no results. */
async function codesIn(cwd: string): Promise<Finding["code"][]> {
  const text = await readFile(join(cwd, "reports", "latest", "results.json"), "utf8").catch(() => "");
  try {
    const { load, notices = [] } = JSON.parse(text) as Results;
    return [...load.flatMap(({ findings }) => findings), ...notices].map(({ code }) => code);
  } catch {
    return [];
  }
}

/** Runs a cell in a folder of its own; returns its lines of the table, followed by the problems. */
export async function runCell(cell: Cell, signal: AbortSignal): Promise<{ isRight: boolean; lines: string }> {
  const keys = { primary: canaryKey(48), sameOrg: canaryKey(40), otherOrg: canaryKey(64), ...cell.keys };
  await using place = await openPlace(keys, signal);
  const outcome = await cell.run(place);
  const mistakes = mistakesIn(outcome, cell.expect);
  return { isRight: mistakes.length === 0, lines: linesOf(cell, outcome, mistakes) };
}

/** The differences between an outcome and the expectation; empty if there are none. */
export function mistakesIn(outcome: CellOutcome, { exit, seconds = 60, says, finds }: Expectation): string[] {
  const output = outcome.stdout + outcome.stderr;
  return [
    exit.some((one) => one === outcome.exit) ? "" : `exit ${exit.join(" or ")} expected`,
    outcome.seconds <= seconds ? "" : `longer than ${seconds} s`,
    outcome.megabytes <= mostMegabytes ? "" : `more than ${mostMegabytes} MB`,
    says === undefined || says.test(output) ? "" : `${says} is not in the output`,
    finds === undefined || finds.some((code) => outcome.codes.includes(code))
      ? ""
      : `none of ${finds.join(", ")} in results.json`,
    output.includes("bug in shelfcheck") ? "blames shelfcheck itself" : "",
    /\n\s+at .*:\d+:\d+/.test(output) ? "a stack trace in the output" : "",
    outcome.orphans.length === 0 ? "" : `still running: ${outcome.orphans.join(", ")}`,
    outcome.leaks.length === 0 ? "" : `key in ${outcome.leaks.join(", ")}`,
    ...(outcome.wrong ?? []),
  ].filter((mistake) => mistake !== "");
}

const column = " ".repeat(25);

function linesOf({ name }: Cell, outcome: CellOutcome, mistakes: readonly string[]): string {
  const figures = [
    String(outcome.exit).padStart(8),
    outcome.seconds.toFixed(1).padStart(7),
    outcome.megabytes.toFixed(0).padStart(5),
  ].join(" ");
  const shown = [
    decisiveLine(outcome).slice(0, 160),
    [...new Set(outcome.codes)].join(", "),
    ...mistakes.map((mistake) => `WRONG: ${mistake}`),
  ];
  const below = shown.filter((line) => line !== "").map((line) => `${column}${line}\n`);
  return `${mistakes.length === 0 ? " " : "!"}${figures}  ${name}\n${below.join("")}`;
}

/** The line of the output that states the outcome. */
function decisiveLine({ stdout, stderr }: Pick<CellOutcome, "stdout" | "stderr">): string {
  const lines = `${stderr}\n${stdout}`.split("\n").map((line) => line.trim());
  for (const pattern of [/^shelfcheck/, /^problem/, /^Exit \d/, /^(ERROR|INCOMPLETE)/]) {
    const line = lines.find((one) => pattern.test(one));
    if (line !== undefined) return line;
  }
  return stdout.trim().split("\n")[0] ?? "";
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** Makes a folder below the place. */
export async function folderIn({ cwd }: Pick<CellPlace, "cwd">, name: string): Promise<string> {
  const path = join(cwd, name);
  await mkdir(path, { recursive: true });
  return path;
}
