import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Cause } from "../../schemas/contracts/verdicts.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import type { RunningService } from "../../service/start.ts";
import { cleanEnvironment } from "../support/command.ts";
import { relaxedProfiles } from "../support/workspace.ts";
import { piecesOf } from "./key-pieces.ts";
import { type SystemProcess, watchProcesses } from "./watch.ts";

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
  configure(target: object, profiles?: Readonly<Record<string, Profile>>): Promise<void>;
  start(argv: readonly string[], options?: StartOptions): ReturnType<typeof start>;
}

export interface StartOptions {
  /** Texts that, like the keys, must not appear anywhere. Default: none */
  readonly secrets?: readonly string[] | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** What starts the command line, in another folder. Default: node, in the folder of the row */
  readonly by?: { readonly program: readonly string[]; readonly cwd: string };
  /** Descriptors of files that take the place of the pipes. */
  readonly stdout?: number;
  readonly stderr?: number;
}

const script = fileURLToPath(new URL("../../scripts/cli/shelfcheck.cjs", import.meta.url));
// Twice the longest that a row may take (row.ts), and less than a test has.
const longestSeconds = 270;
const markVariable = "SHELFCHECK_ACCEPTANCE_ROW";
/**
 * A busy machine is slow, too: a response that takes longer than 3 seconds has failed, others are in time, and of
 * two requests of the rarest kind, one in twenty, one may be missing. With TLS it sends fewer in a second.
 */
const smokeOf = (target: object): Profile => ({
  ...relaxedProfiles.smoke,
  stages: constantRate(15, "baseUrl" in target && `${target.baseUrl}`.startsWith("https:") ? 6 : 3),
  maxResponseSeconds: 3,
});

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
  const { path: cwd, remove } = await mkdtempDisposable(join(tmpdir(), "shelfcheck-acceptance-"));
  return {
    cwd,
    keys,
    async configure(target, profiles = {}) {
      const own = { timeoutMilliseconds: 8000, keys: { ...keyVariables }, ...target };
      const gate = { profile: "smoke" };
      const all = { smoke: smokeOf(target), ...profiles };
      const config = { targets: { own }, defaultTarget: "own", gate, profiles: all };
      await writeFile(join(cwd, "shelfcheck.config.mjs"), `export default ${JSON.stringify(config)};\n`);
    },
    start: (argv, options = {}) => start(argv, { cwd, keys, signal, ...options }),
    [Symbol.asyncDispose]: remove,
  };
}

type Start = StartOptions & Pick<RowPlace, "cwd" | "keys"> & { readonly signal: AbortSignal };

/** A running command. */
function start(argv: readonly string[], options: Start) {
  const { cwd, keys, secrets = [], signal, env = {}, stdout, stderr } = options;
  const { program, cwd: from } = options.by ?? { program: [process.execPath, script], cwd };
  const [first = "", ...others] = program;
  const mark = `${markVariable}=${randomBytes(8).toString("hex")}`;
  const child = spawn(first, [...others, ...argv], {
    cwd: from,
    env: environmentOf(options, mark),
    stdio: ["ignore", stdout ?? "pipe", stderr ?? "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  const pieces = piecesOf([...Object.values(keys), ...secrets]);
  const started = performance.now();
  const age = () => (performance.now() - started) / 1000;
  // What another program starts is the command line, with its variables.
  const needsKey = ({ program: name, commandLine }: SystemProcess) =>
    options.by !== undefined || (isK6(name, env.K6_BIN !== undefined) && !commandLine.includes(" version"));
  const watch = watchProcesses(child.pid ?? 0, { mark, pieces, needsKey });

  async function ended(): Promise<CommandOutcome> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(longestSeconds * 1000)]);
    end.addEventListener("abort", () => child.kill("SIGKILL"));
    await once(child, stdout === undefined && stderr === undefined ? "close" : "exit");
    const seconds = age();
    const { memoryBytes, leaks, orphans } = await watch.end();
    const written: string[] = [];
    for (const [name, text] of Object.entries(texts)) if (await pieces.find(text)) written.push(name);
    for (const file of await filesBelow(cwd))
      if (await pieces.find(await readFile(file, "latin1").catch(() => ""))) written.push(file);
    const exit = seconds >= longestSeconds ? "no end" : (child.exitCode ?? child.signalCode ?? "?");
    const found = await resultsIn(cwd);
    const megabytes = memoryBytes / 1024 / 1024;
    return { exit, seconds, megabytes, orphans, leaks: [...leaks, ...written], ...found, ...texts };
  }

  return {
    child,
    /** Seconds since the start. */
    age,
    /** All output so far. */
    output: () => texts.stdout + texts.stderr,
    outcome: ended(),
  };
}

/** All files, without following links. Commands that still run rename what they write: the last to end sees all. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const below = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return await filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(below)).flat();
}

function environmentOf({ keys, env }: Start, mark: string): NodeJS.ProcessEnv {
  const [name = "", value] = mark.split("=");
  return {
    ...cleanEnvironment(),
    [keyVariables.primary]: keys.primary,
    [keyVariables.sameOrg]: keys.sameOrg,
    [keyVariables.otherOrg]: keys.otherOrg,
    [name]: value,
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
    const found = [...load.flatMap(({ findings, notes }) => [...findings, ...notes]), ...notices];
    return { codes: found.map(({ code }) => code), cause };
  } catch {
    return { codes: [] };
  }
}
