import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";

/** A folder to run commands in, and folders to put first on the path. */
export interface Installation {
  readonly cwd: string;
  readonly path: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Exit code and output of a command. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly output: string;
  readonly stdout: string;
}

// Settings for reaching the registry are kept.
const ours = /^(?:npm_(?!config_(?:registry|cache|cafile|.*proxy)$)|SHELFCHECK_|NODE_OPTIONS$|NODE_PATH$)/i;

/** The environment without the variables of npm and shelfcheck, which a user's project would not have. */
function environment({ path, env = {} }: Installation): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  // npm puts the checkout's binaries first on the path.
  const inherited = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(kept), PATH: [...path, ...inherited].join(delimiter), ...env };
}

/** Starts a command; returns its process and a promise of its end. */
export function start(command: string, args: readonly string[], place: Installation) {
  const child = spawn(command, args, {
    cwd: place.cwd,
    env: environment(place),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(child, "close").then(
    ([exitCode]: (number | null)[]): CommandEnd => ({ exitCode: exitCode ?? null, stdout, output }),
  );
  return { child, ended };
}

/** Runs a command to its end. @throws Error with its output if the exit code is not the expected one. */
export async function run(
  command: string,
  args: readonly string[],
  place: Installation,
  expected = 0,
): Promise<CommandEnd> {
  const ended = await start(command, args, place).ended;
  if (ended.exitCode === expected) return ended;
  const what = [command, ...args].join(" ");
  throw new Error(
    `${what} ended with ${ended.exitCode} and not ${expected}, in ${place.cwd}:\n${ended.output}`,
  );
}

/** Installs a release of Node into a folder; returns the folder of its binary. */
export async function installNode(version: string, folder: string): Promise<string> {
  const place = { cwd: folder, path: [] };
  await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", `node@${version}`], place);
  return join(folder, "node_modules/node/bin");
}
