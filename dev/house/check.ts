import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import packageJson from "../../package.json" with { type: "json" };

// `npm run check`: every script `check:…` of package.json at once. Arguments exclude scripts; a command
// behind `--` runs beside them and is shown: `npm test` runs the tests, which wait more than they compute.

interface Ended {
  readonly isRight: boolean;
  /** Of a script that failed, what it printed as well. */
  readonly says: string;
}

/** Runs a script of package.json. */
async function check(name: string): Promise<Ended> {
  const started = performance.now();
  const child = spawn(scripts[name] ?? "", { env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const printed = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (child.exitCode === 0) return { isRight: true, says: `${name} passed, ${seconds} s` };
  const outcome = `${name} failed with exit code ${child.exitCode}, ${seconds} s`;
  return { isRight: false, says: [outcome, ...printed.slice(0, 2)].join("\n") };
}

/** Runs a command with the output of this process. */
async function show(command: string): Promise<Ended> {
  const child = spawn(command, { shell: true, stdio: "inherit" });
  await once(child, "close");
  return { isRight: child.exitCode === 0, says: `${command} ended with exit code ${child.exitCode}` };
}

// TypeScript's compiler is a Go program. One checker (`--checkers 1`) repeats no other's work, and its memory
// needs no collector: two fifths less CPU, in no more memory.
const env = { ...process.env, GOGC: "off" };
const scripts: Readonly<Record<string, string>> = packageJson.scripts;
const [excluded = "", command] = process.argv.slice(2).join(" ").split(" -- ");
const names = Object.keys(scripts).filter(
  (name) => name.startsWith("check:") && !excluded.split(" ").includes(name),
);
const ended = await Promise.all([...names.map(check), ...(command === undefined ? [] : [show(command)])]);
for (const { says } of ended) process.stdout.write(`${says}\n`);
if (ended.some(({ isRight }) => !isRight)) process.exitCode = 1;
