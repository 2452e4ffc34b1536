import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Cause } from "../../schemas/contracts/verdicts.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import type { RunningService } from "../../service/start.ts";
import { piecesOf } from "./key-pieces.ts";
import type { SystemProcess } from "./processes.ts";
import { watchProcesses } from "./watch.ts";

/** The keys that a command is given. */
export type CanaryKeys = RunningService["keys"];

/** How a command ended. */
export interface CommandOutcome {
  readonly exit: number | string;
  readonly seconds: number;
  /** Most memory of the command and of all that it started, in megabytes. */
  readonly megabytes: number;
  /** Programs that were still running a few seconds after the command had ended. */
  readonly orphans: readonly string[];
  /** Where a piece of a key was found. */
  readonly leaks: readonly string[];
  /** Codes of the findings and notes on the load and of the notices in the results, if there are any. */
  readonly codes: readonly Finding["code"][];
  /** What decided the run, in its results; undefined where there are none. */
  readonly cause?: Cause | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Other problems that the row found. */
  readonly wrong?: readonly string[] | undefined;
}

/** A folder for one row, and the way to run the command line there. */
export interface RowPlace extends AsyncDisposable {
  readonly cwd: string;
  readonly keys: CanaryKeys;
  /** Writes the configuration file for a target, with a timeout of 8 seconds by default. */
  configure(target: ConfiguredTarget): Promise<void>;
  start(argv: readonly string[], options?: StartOptions): RunningCommand;
}

/** A target, as the configuration file of a row names it. */
export interface ConfiguredTarget {
  readonly baseUrl: string;
  readonly categories: readonly string[];
  readonly timeoutMilliseconds?: number;
}

export interface StartOptions {
  /** Default: those of the row */
  readonly keys?: CanaryKeys;
  /** Texts that, like the keys, must not appear anywhere. Default: none */
  readonly secrets?: readonly string[] | undefined;
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
  readonly outcome: Promise<CommandOutcome>;
}

const script = fileURLToPath(new URL("../../scripts/cli/entry.ts", import.meta.url));
const longestSeconds = 170;
const markVariable = "SHELFCHECK_ACCEPTANCE_ROW";

/** A key of so many characters, some of which are special in JSON, HTML, URLs, shells and regular expressions. */
export function canaryKey(length: number): string {
  const special = `"'\\<&>$\`%+/=.*[(^|{`;
  const random = randomBytes(length).toString("base64url");
  return Array.from({ length }, (_, place) =>
    length > 12 && place % 13 === 5 ? special.charAt((place * 7) % special.length) : random.charAt(place),
  ).join("");
}

export function canaryKeys(): CanaryKeys {
  return { primary: canaryKey(48), sameOrg: canaryKey(40), otherOrg: canaryKey(64) };
}

/** Makes the folder of a row, which disposing of the place removes. An abort kills what runs there. */
export async function openPlace(keys: CanaryKeys, signal: AbortSignal): Promise<RowPlace> {
  const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-acceptance-"));
  return {
    cwd,
    keys,
    async configure({ baseUrl, categories, timeoutMilliseconds = 8000 }) {
      const target = { baseUrl, categories, timeoutMilliseconds, keys: { ...keyVariables } };
      // A busy machine is slow, too: a response that takes longer than 3 seconds has failed, others are in time.
      const thresholds = { ...profiles.smoke.thresholds, p95Milliseconds: 60_000 };
      const smoke = { ...profiles.smoke, stages: constantRate(10, 2), maxResponseSeconds: 3, thresholds };
      const gate = { profile: "smoke" };
      const config = { targets: { bad: target }, defaultTarget: "bad", gate, profiles: { smoke } };
      await writeFile(join(cwd, "shelfcheck.config.mjs"), `export default ${JSON.stringify(config)};\n`);
    },
    start: (argv, options = {}) => start(argv, { cwd, keys, signal, ...options }),
    async [Symbol.asyncDispose]() {
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

type Start = StartOptions & Pick<RowPlace, "cwd" | "keys"> & { readonly signal: AbortSignal };

function start(argv: readonly string[], options: Start): RunningCommand {
  const { cwd, keys, secrets = [], signal, env, stdout, stderr } = options;
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
  const pieces = piecesOf([...Object.values(keys), ...secrets]);
  const started = performance.now();
  const watch = watchProcesses(child.pid ?? 0, {
    mark: `${markVariable}=${mark}`,
    pieces,
    needsKey: ({ program, commandLine }) =>
      isK6(program, env?.K6_BIN !== undefined) && !commandLine.includes(" version"),
  });

  async function ended(): Promise<CommandOutcome> {
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
      ...(await resultsIn(cwd)),
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
    // The rows share a cache of compiled code, because several hundred commands start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), "shelfcheck-acceptance-cache"),
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

/** What the last run of a folder found and what decided it; nothing where there are no results. */
async function resultsIn(cwd: string): Promise<Pick<CommandOutcome, "codes" | "cause">> {
  const text = await readFile(join(cwd, "reports", "latest", "results.json"), "utf8").catch(() => "");
  try {
    const { load, notices = [], cause } = JSON.parse(text) as Results;
    return {
      codes: [...load.flatMap(({ findings, notes }) => [...findings, ...notes]), ...notices].map(
        ({ code }) => code,
      ),
      cause,
    };
  } catch {
    return { codes: [] };
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
