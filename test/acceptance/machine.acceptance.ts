import { execFile } from "node:child_process";
import { openSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { releases } from "../../scripts/load/k6/install.ts";
import { k6Script } from "../support/k6/fake-machine.ts";
import { badTargets, startTarget } from "./bad-targets.ts";
import type { CommandOutcome, RowPlace, StartOptions } from "./place.ts";
import { type AcceptanceRow, acceptRows, type Expectation } from "./row.ts";

// Commands on a correct service in a broken environment: disk, signals, k6, files, other runs, unusual keys.

const quick = ["conformance", "--only", "page.count"] as const;

/** Runs a command on a correct service. */
async function onCorrectTarget(
  place: RowPlace,
  argv: readonly string[],
  options: StartOptions = {},
): Promise<CommandOutcome> {
  await using target = await startTarget(place.keys);
  await place.configure(target);
  return await place.start(argv, options).outcome;
}

type Preparation = (place: RowPlace) => Promise<StartOptions>;

/** A row of a command on a correct service, for which the machine is prepared first. */
function prepared(
  target: string,
  argv: readonly string[],
  expect: Expectation,
  prepare: Preparation = async () => ({}),
): AcceptanceRow {
  const run = async (place: RowPlace) => onCorrectTarget(place, argv, await prepare(place));
  return { target, command: argv.join(" "), expect, run };
}

/** Writes a file before the command starts. */
const written =
  (file: string, text: string, env: NodeJS.ProcessEnv = {}): Preparation =>
  async ({ cwd }) => {
    await writeFile(join(cwd, file), text, { mode: 0o755 });
    return { env };
  };

/** A stream of the command is a full device. Its descriptor ends with the tests. */
const full =
  (stream: "stdout" | "stderr"): Preparation =>
  async () => ({ [stream]: openSync("/dev/full", "w") });

const execute = promisify(execFile);

/** Reports are written to a file system in memory, mounted with these options. */
function onDisk(
  target: string,
  options: string,
  argv: readonly string[],
  expect: Expectation,
): AcceptanceRow {
  return {
    target,
    command: argv.join(" "),
    expect,
    needs: ["mount"],
    async run(place) {
      const folder = join(place.cwd, "small");
      await mkdir(folder);
      await execute("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
      try {
        return await onCorrectTarget(place, [...argv, "--out", join(folder, "reports")]);
      } finally {
        await execute("umount", ["--lazy", folder]);
      }
    },
  };
}

// The verdict is printed even if the results cannot be written.
const noSpace = /^(ERROR|FAILED|LOAD)[\s\S]*no space left on the device: \/tmp/im;

const disk: readonly AcceptanceRow[] = [
  onDisk("8 KB of disk", "size=8k", quick, { exit: [3], says: noSpace }),
  onDisk("256 KB of disk", "size=256k", ["gate"], { exit: [1, 3], says: noSpace }),
  onDisk("read-only", "size=64k,ro", quick, { exit: [3], says: /read-only/ }),
  prepared("stdout is full", ["doctor"], { exit: [3], says: /no space left.*stdout/i }, full("stdout")),
  prepared("stderr is full", quick, { exit: [0] }, full("stderr")),
];

/** Its name, the text in the output after which the signal is sent, and most seconds from the signal to the end. */
type SignalMoment = readonly [name: string, shown: RegExp, within: number];

/** Sends a signal to a command at some moment. It ends soon, and every report is written. */
function signalled(
  argv: readonly string[],
  signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGKILL",
  [name, shown, within]: SignalMoment,
  { byNpx = false } = {},
): AcceptanceRow {
  const isKilled = signal === "SIGKILL";
  return {
    target: `${signal} ${name}${byNpx ? ", to npx" : ""}`,
    command: argv.join(" "),
    // npx ends with the code of the command, or by the signal.
    expect: { exit: [...(isKilled ? [] : [130]), ...(byNpx || isKilled ? [signal] : [])] },
    run: async (place) => {
      await using target = await startTarget(place.keys);
      await place.configure(target);
      const latest = join(place.cwd, "reports", "latest");
      const files = ["--config", join(place.cwd, "shelfcheck.config.mjs"), "--out", join(latest, "..")];
      const by = { program: ["npx", "--no-install", "shelfcheck"], cwd: root };
      const started = byNpx ? place.start([...argv, ...files], { by }) : place.start(argv);
      const { child, output, outcome, age } = started;
      while (!shown.test(output()) && child.exitCode === null) await sleep(20);
      const sent = age();
      child.kill(signal);
      const ended = await outcome;
      const seconds = ended.seconds - sent;
      const written = await readdir(latest).catch((): string[] => []);
      const wrong = [
        ...(seconds > within ? [`ended ${seconds.toFixed(1)} s after the signal, ${within} s allowed`] : []),
        ...(isKilled || written.includes("report.html") ? [] : [`wrote only ${written.join(", ")}`]),
      ];
      return { ...ended, wrong };
    },
  };
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const discovering: SignalMoment = ["in discovery", /discovering/, 5];
const judging: SignalMoment = ["after the first section", /: \d+ passed/, 5];
const loading: SignalMoment = ["before k6", /load: \w+ \(/, 10];
const sending: SignalMoment = ["while k6 sends", /\d+ s left|requests/, 12];

/** Nothing stays behind: a row that leaves k6 running fails. */
const signals: readonly AcceptanceRow[] = [
  signalled(["conformance"], "SIGINT", discovering),
  signalled(["conformance"], "SIGHUP", judging),
  signalled(["gate"], "SIGTERM", loading),
  signalled(["load", "--duration", "30s"], "SIGINT", sending),
  signalled(["load", "--duration", "60s"], "SIGKILL", sending),
  signalled(["load", "--duration", "60s"], "SIGTERM", sending, { byNpx: true }),
];

/** A script that is accepted as k6, and runs `body` in place of a load. */
const withK6 = (name: string, body: string, expect: Expectation): AcceptanceRow => {
  const text = `#!/bin/sh\n${k6Script(releases[0].version)} && exit\n${body}\n`;
  return prepared(`k6 ${name}`, ["load"], expect, written("k6", text, { K6_BIN: "./k6" }));
};

const k6: readonly AcceptanceRow[] = [
  withK6("crashes", 'kill -SEGV "$$"', { exit: [3], says: /SIGSEGV/ }),
  withK6("fails to start", 'echo "boom" >&2; exit 107', { exit: [3] }),
];

const files: readonly AcceptanceRow[] = [
  prepared(
    "a config that never settles",
    ["doctor", "--config", "a.mjs"],
    { exit: [2], says: /a\.mjs/, seconds: 25 },
    written("a.mjs", "await new Promise(() => {});"),
  ),
  prepared(
    "a catalog that is cut off",
    ["serve", "--catalog", "c.ndjson"],
    { exit: [2], says: /c\.ndjson:1/ },
    written("c.ndjson", '{"kind":"pro'),
  ),
  {
    target: "a log that nobody reads",
    command: "serve",
    expect: { exit: [0] },
    run: async (place) => {
      const { child, output, outcome } = place.start(["serve", "--products", "5"]);
      while (!output().includes("base_url") && child.exitCode === null) await sleep(20);
      const [, url = ""] = /"base_url":"([^"]+)/.exec(output()) ?? [];
      child.stderr?.pause();
      // Each is two lines of the log, and together they are more than pipe and reader hold.
      for (let sent = 0; sent < 1000; sent += 50)
        await Promise.all(Array.from({ length: 50 }, () => fetch(url).then((response) => response.text())));
      child.once("exit", () => child.stderr?.resume());
      child.kill("SIGTERM");
      return await outcome;
    },
  },
  {
    target: "six at once into one folder",
    command: "conformance",
    expect: { exit: [0] },
    run: async (place) => {
      await using target = await startTarget(place.keys);
      await place.configure(target);
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => place.start(quick).outcome));
      const runs = (await readdir(join(place.cwd, "reports"))).filter((name) => /^\d/.test(name));
      const whole = await Promise.all(
        [...runs, "latest"].map(async (name) =>
          JSON.parse(await readFile(join(place.cwd, "reports", name, "results.json"), "utf8")),
        ),
      );
      const worst = outcomes.toSorted((a, b) => Number(b.exit) - Number(a.exit))[0];
      if (worst === undefined) throw new Error("no outcome");
      const wrong = whole.length === 7 ? [] : [`${7 - whole.length} of 6 runs and latest are missing`];
      return { ...worst, orphans: outcomes.flatMap(({ orphans }) => orphans), wrong };
    },
  },
];

/** A command with this primary key, which the target sends back in every spelling, each time at another offset. */
function withKey(name: string, key: string, command: "conformance" | "gate" = "conformance"): AcceptanceRow {
  return {
    target: `${name}, echoed in every spelling`,
    command,
    keys: { primary: key },
    expect: { exit: [1, 3] },
    run: async (place) => {
      const { respond } = badTargets["key echoed"];
      await using target = await startTarget(place.keys, { respond, onset: { after: 100, of: "all" } });
      await place.configure(target);
      return await place.start([command]).outcome;
    },
  };
}

const keys: readonly AcceptanceRow[] = [
  withKey("a key of 8 characters", "k3Y$x.+["),
  withKey("a key like JSON", '{"error":{"code":"x"}}'),
  withKey("a key like HTML", "</script><b>&amp;key-0", "gate"),
];

/** CI runs what ends soon, and one key. `gate` runs the commands that other rows run. */
const rows = [...disk, ...signals, ...k6, ...files, ...keys];
const isInCi = (row: AcceptanceRow) =>
  row === keys[0] || (!keys.includes(row) && row.command !== "gate" && (row.expect.seconds ?? 0) <= 60);
acceptRows(rows.map((row) => ({ ...row, inCi: isInCi(row) })));
