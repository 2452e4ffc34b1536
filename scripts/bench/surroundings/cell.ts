import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { constantRate } from "../../../scenarios/lib/schedule.ts";
import { profiles } from "../../../scenarios/profiles.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import type { CanaryKeys } from "./bad-target.ts";

/** What must come of a cell. */
export interface Expectation {
  /** Any of these exit codes. */
  readonly exit: readonly (number | NodeJS.Signals)[];
  /** Default: 60 */
  readonly seconds?: number;
  /** What the output must say. */
  readonly says?: RegExp;
  /** What it must not say. Default: that shelfcheck itself broke. */
  readonly neverSays?: RegExp;
}

/** What came of it. */
export interface CellOutcome {
  readonly exit: number | string;
  readonly seconds: number;
  /** Most memory of the process and all that it started, in megabytes. */
  readonly megabytes: number;
  /** Processes that were still there a moment after the command had ended. */
  readonly orphans: readonly string[];
  /** Where a piece of a key was found. */
  readonly leaks: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

/** One try: a row of the matrix. */
export interface Cell {
  readonly name: string;
  readonly expect: Expectation;
  /** In place of the usual canary keys. */
  readonly keys?: Partial<CanaryKeys>;
  readonly run: (place: CellPlace) => Promise<CellOutcome>;
}

/** A folder for one cell, and the way to run the command line there. */
export interface CellPlace extends AsyncDisposable {
  readonly cwd: string;
  readonly keys: CanaryKeys;
  readonly signal: AbortSignal;
  /** Writes the config of a target. */
  configure(target: { baseUrl: string; categories: readonly string[] }): Promise<void>;
  start(argv: readonly string[], options?: StartOptions): RunningCommand;
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Files that take the place of the pipes: descriptors. */
  readonly stdout?: number;
  readonly stderr?: number;
}

/** A command under way. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** Seconds since it was started. */
  readonly age: () => number;
  /** All that it wrote until now. */
  readonly output: () => string;
  readonly outcome: Promise<CellOutcome>;
}

const script = fileURLToPath(new URL("../../entry.ts", import.meta.url));
const sampleMilliseconds = 100;
const longestSeconds = 170;
const mostMegabytes = 800;
const marker = "SHELFCHECK_BENCH_CELL";

/** A key of so many characters, with what is special in JSON, HTML, URLs, shells and regular expressions. */
export function canaryKey(length: number): string {
  const special = `"'\\<&>$\`%+/=.*[(^|{`;
  const random = randomBytes(length).toString("base64url");
  return Array.from({ length }, (_, place) =>
    length > 12 && place % 13 === 5 ? special.charAt((place * 7) % special.length) : random.charAt(place),
  ).join("");
}

/** Opens a place; its folder goes when it is disposed of. */
export async function openPlace(keys: CanaryKeys, signal: AbortSignal): Promise<CellPlace> {
  const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-surroundings-"));
  return {
    cwd,
    keys,
    signal,
    async configure({ baseUrl, categories }) {
      const target = { baseUrl, categories, timeoutMilliseconds: 2000, keys: { ...keyVariables } };
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

function start(
  argv: readonly string[],
  { cwd, keys, signal, env = {}, stdout, stderr }: StartOptions & Pick<CellPlace, "cwd" | "keys" | "signal">,
): RunningCommand {
  const mark = randomBytes(8).toString("hex");
  const { PATH, HOME, XDG_CACHE_HOME, K6_BIN } = process.env;
  const child = spawn(process.execPath, [script, ...argv], {
    cwd,
    env: {
      PATH,
      HOME,
      NO_COLOR: "1",
      ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }),
      ...(K6_BIN === undefined ? {} : { K6_BIN }),
      [keyVariables.primary]: keys.primary,
      [keyVariables.sameOrg]: keys.sameOrg,
      [keyVariables.otherOrg]: keys.otherOrg,
      [marker]: mark,
      ...env,
    },
    stdio: ["ignore", stdout ?? "pipe", stderr ?? "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const pieces = piecesOf(keys);
  // A script in the place of k6 shows by its interpreter.
  const standIns = env.K6_BIN === undefined ? [] : ["sh", "dash", "bash", "sleep"];
  const isK6 = (name: string) => name.includes("k6") || standIns.includes(name);
  const started = performance.now();
  const stop = new AbortController();
  const leaks = new Set<string>();
  const sampling = sampled();

  async function sampled(): Promise<number> {
    let most = 0;
    while (!stop.signal.aborted) {
      let sum = 0;
      for (const { pid, name, environment } of await processesWith(mark)) {
        sum += await memoryOf(pid);
        if (pid === child.pid) continue;
        const line = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
        // A process that was forked and is not yet the program that it becomes.
        if (line.includes(script)) continue;
        // Between fork and now it may have become that program.
        const later = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
        if (!isK6(name) && (await pieces.find(environment)) && (await pieces.find(later)))
          leaks.add(`environment of ${name}`);
        if (await pieces.find(line)) leaks.add(`arguments of ${name}`);
      }
      most = Math.max(most, sum);
      await sleep(sampleMilliseconds);
    }
    return most / 1024 / 1024;
  }

  async function ended(): Promise<CellOutcome> {
    const timeout = setTimeout(() => child.kill("SIGKILL"), longestSeconds * 1000);
    const abort = () => child.kill("SIGKILL");
    signal.addEventListener("abort", abort);
    await once(child, stdout === undefined && stderr === undefined ? "close" : "exit");
    clearTimeout(timeout);
    signal.removeEventListener("abort", abort);
    const seconds = (performance.now() - started) / 1000;
    stop.abort();
    const megabytes = await sampling;
    const orphans = await orphansOf(mark);
    for (const [name, text] of Object.entries(texts)) if (await pieces.find(text)) leaks.add(name);
    for (const file of await filesBelow(cwd)) {
      if (await pieces.find(await readFile(join(cwd, file), "latin1").catch(() => ""))) leaks.add(file);
    }
    const exit = seconds >= longestSeconds ? "no end" : (child.exitCode ?? child.signalCode ?? "?");
    return { exit, seconds, megabytes, orphans, leaks: [...leaks], ...texts };
  }

  return {
    child,
    age: () => (performance.now() - started) / 1000,
    output: () => texts.stdout + texts.stderr,
    outcome: ended(),
  };
}

/** What is wrong with an outcome; empty when it is right. */
export function mistakesIn(
  outcome: CellOutcome,
  { exit, seconds = 60, says, neverSays }: Expectation,
): string[] {
  const said = outcome.stdout + outcome.stderr;
  return [
    exit.some((one) => one === outcome.exit) ? "" : `exit ${exit.join(" or ")} wanted`,
    outcome.seconds <= seconds ? "" : `${seconds} s allowed`,
    outcome.megabytes <= mostMegabytes ? "" : `${mostMegabytes} MB allowed`,
    says === undefined || says.test(said) ? "" : `does not say ${says}`,
    (neverSays ?? /itself broke|\n\s+at .*:\d+:\d+/).test(said) ? "says what it must not" : "",
    outcome.orphans.length === 0 ? "" : `left behind: ${outcome.orphans.join(", ")}`,
    outcome.leaks.length === 0 ? "" : `key in ${outcome.leaks.join(", ")}`,
  ].filter((mistake) => mistake !== "");
}

/** The line that tells a person what happened. */
export function firstLine({ stdout, stderr }: Pick<CellOutcome, "stdout" | "stderr">): string {
  const lines = `${stderr}\n${stdout}`.split("\n").map((line) => line.trim());
  const decisive = [/^shelfcheck/, /^problem/, /^Exit \d/, /^(ERROR|INCOMPLETE)/];
  for (const pattern of decisive) {
    const line = lines.find((one) => pattern.test(one));
    if (line !== undefined) return line;
  }
  return stdout.trim().split("\n")[0] ?? "";
}

interface Running {
  readonly pid: number;
  readonly name: string;
  readonly environment: string;
}

async function processesWith(mark: string): Promise<Running[]> {
  const wanted = `${marker}=${mark}`;
  const found: Running[] = [];
  for (const entry of await readdir("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (!environment.includes(wanted)) continue;
    const name = await readlink(`/proc/${pid}/exe`).catch(() => "?");
    found.push({ pid, name: name.split("/").at(-1) ?? "?", environment });
  }
  return found;
}

async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "0 0");
  return Number(text.split(" ")[1]) * 4096;
}

// k6 may take its five seconds to notice that nobody is left.
async function orphansOf(mark: string): Promise<string[]> {
  for (let look = 0; look < 12; look++) {
    const left = await processesWith(mark);
    if (left.length === 0) return [];
    await sleep(500);
  }
  const left = await processesWith(mark);
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  return left.map(({ name }) => name);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

const pieceLength = 12;

/** Finds a piece of a key in a text, as it is, in other case, in base64 or in hexadecimal; independent of the redaction. */
export function piecesOf(keys: CanaryKeys): { find(text: string): Promise<boolean> } {
  const pieces = new Set<string>();
  const lengths = new Set<number>();
  for (const key of Object.values(keys)) {
    for (const spelled of [key, key.toLowerCase(), key.toUpperCase()]) {
      const inBase64 = [0, 1, 2].map((offset) => {
        const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(spelled)]);
        // The first and last characters hold bits of what stands around the key.
        return bytes
          .toString("base64")
          .replace(/=+$/, "")
          .slice(offset === 0 ? 0 : offset + 1, -1);
      });
      for (const form of [spelled.toLowerCase(), Buffer.from(spelled).toString("hex"), ...inBase64]) {
        const folded = form.toLowerCase();
        const length = Math.min(pieceLength, folded.length);
        lengths.add(length);
        for (let at = 0; at + length <= folded.length; at++) {
          const piece = folded.slice(at, at + length);
          // The invalid key that conformance draws keeps what is no letter or digit, and is no secret.
          if (folded.length <= pieceLength || piece.replace(/[^a-z0-9]/g, "").length >= 5) pieces.add(piece);
        }
      }
    }
  }
  // Most places are ruled out by their first two characters.
  const begins = new Uint8Array(65_536);
  for (const piece of pieces) begins[pairAt(piece, 0)] = 1;

  function findIn(text: string): boolean {
    for (let at = 0; at < text.length; at++) {
      if (begins[pairAt(text, at)] !== 1) continue;
      for (const length of lengths) if (pieces.has(text.slice(at, at + length))) return true;
    }
    return false;
  }

  return {
    async find(text) {
      // In parts, so that the targets of other cells go on answering.
      for (let from = 0; from < text.length; from += chunk) {
        const part = text.slice(from, from + chunk + pieceLength).toLowerCase();
        if (findIn(part) || findIn(part.replaceAll("-", "+").replaceAll("_", "/"))) return true;
        await setImmediate();
      }
      return false;
    },
  };
}

const chunk = 128 * 1024;

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 0xff) << 8) | (text.charCodeAt(at + 1) & 0xff);
}

/** A folder below the place. */
export async function folderIn({ cwd }: Pick<CellPlace, "cwd">, name: string): Promise<string> {
  const path = join(cwd, name);
  await mkdir(path, { recursive: true });
  return path;
}
