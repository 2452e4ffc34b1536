import { isObject } from "../schemas/json.ts";
import { UsageError } from "./errors.ts";

/** What earlier versions had, and what to use instead: whoever uses it is told, with exit code 2. */
export const removed: Readonly<Record<"commandLine" | "config" | "environment", Rows>> = {
  /** `completion`, `explain matrix`, or `load|gate --label`; `*` is any command. */
  commandLine: {
    completion: "Use --help: it lists the commands, and the flags of each.",
    "compare --html": "Use --markdown for a job summary, or --json for the data.",
    "report --format": "Omit it: report.html, junit.xml and summary.md are written.",
    discover: "Use doctor --json: what was found is there, beside what prevents a run.",
    history: "Compare two runs with compare BEFORE AFTER, or keep the JUnit reports in CI.",
    "explain matrix": "Name a requirement: explain ID shows its checks, and conformance --plan lists all.",
    baseline: "Write waivers into shelfcheck.config.ts, and compare with gate --since RUN.",
    "conformance|gate --baseline": "Write waivers into shelfcheck.config.ts; gate --since RUN compares.",
    "load --kubernetes|--namespace|--plan-pods": "Use load --manifests and ci/kubernetes.sh.",
    "load --patch|--volume-claim": "Use load --manifests, edit what it writes, and run ci/kubernetes.sh.",
    "load --pod-cpu": "Edit spec.runner.resources in what load --manifests writes.",
    "load --plan": "Omit it: collect the logs of one run.",
    "load --max-requests": "Use --max-time, which limits the discovery before a load.",
    "load --prometheus": "Add --out experimental-prometheus-rw to spec.arguments of the manifest.",
    "gate --against|--minimum-effect|--minimum-milliseconds": "Run twin --against in the same job.",
    "twin --minimum-effect|--minimum-milliseconds": "Omit it: the interval says how large a difference is.",
    "twin --seed": "Omit it: each comparison sends the same requests.",
    "init --ci|--base-url|--category|--gitignore": "Edit what init writes; for CI, see docs/ci.md.",
    service: "Use serve --catalog FILE: the file has the retailers and products.",
    "serve --db|--keys-from-environment": "Use --seed: catalog and keys are the same at each start.",
    "serve --json": "Use explain ID for the requirement that a fault violates.",
    "serve --latency": "Use --variant slow: each response takes 100 ms longer.",
    "doctor|replay --plan": "Use --max-time, and --max-requests for replay: nothing beyond is sent.",
    "report --into": "Copy the files: they are in the folder of the run.",
    "replay --changed-key": "Omit it: replay says that the key is another one.",
    "replay --bisect": "Use the three lines for git bisect in docs/reports.md.",
    "conformance|load|gate|twin --label": "Name a run by its folder, its path, or latest.",
    "proof --target|--base-url|--category|--env-file|--max-requests|--max-time":
      "Omit it: a proof tries only the built-in reference service.",
    "conformance --thorough": "Omit it: run it again, or add --fuzz.",
    "proof --seed": "Omit it: the snapshot is of one catalog.",
    "proof --pairs|--faults|--variants": "Name faults and variants with --only, or omit it.",
  },
  /** `gate.kubernetes` or `targets.*.proxy|proxyCredentials`. */
  config: {
    "gate.kubernetes": "Use load --manifests and ci/kubernetes.sh.",
    "gate.failures.of": "Remove it: the share is that of load.",
    "targets.*.serverName":
      "Use a base URL with the name in the certificate; /etc/hosts can give its address.",
    "targets.*.tracedEvery": "Find requests in the log of the service by their id (requestIdHeader).",
    "targets.*.clientKeyPassphrase": "Remove it from the key: openssl pkey -in KEY -out NEW_KEY.",
    "targets.*.proxy|proxyCredentials": "Set HTTPS_PROXY or HTTP_PROXY, or NO_PROXY (docs/networks.md).",
    baseline: "Write its waivers into this file; gate --since RUN compares with an earlier run.",
    "waivers.*.only|targets|flaky": "Remove it: a waiver covers a whole check, on each target of this file.",
    "targets.*.moreOrgKeys": "Use keys of two organizations: keys.primary and keys.otherOrg.",
  },
  environment: {
    SHELFCHECK_SERVER_NAME:
      "Use a base URL with the name in the certificate; /etc/hosts can give its address.",
    SHELFCHECK_TRACED_EVERY: "Find requests in the log of the service by their id (requestIdHeader).",
    SHELFCHECK_CLIENT_KEY_PASSPHRASE: "Remove it from the key: openssl pkey -in KEY -out NEW_KEY.",
  },
};

type Rows = Readonly<Record<string, string>>;

/** @throws UsageError when a command line uses what was removed. */
export function refuseRemovedWords(argv: readonly string[]): void {
  // What follows -- is for another program.
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const [name, ...words] = own.flatMap((word) => (word.startsWith("--") ? word.split("=", 2) : [word]));
  for (const [row, instead] of Object.entries(removed.commandLine)) {
    const [command = "", ...rest] = row.split(" ");
    const at = [...words, ""].findIndex((_, from) => rest.every((one, by) => fits(one, words[from + by])));
    if (!fits(command, name) || at === -1) continue;
    throw refusal(["shelfcheck", name, ...words.slice(at, at + rest.length)].join(" "), instead);
  }
}

const fits = (row: string, word: string | undefined): boolean =>
  word !== undefined && (row === "*" || row.split("|").includes(word));

/** @throws UsageError when a configuration has a setting that was removed. */
export function refuseRemovedSettings(config: unknown, file: string): void {
  for (const [row, instead] of Object.entries(removed.config)) {
    const [found] = pathsIn(config, row.split("."));
    if (found !== undefined) throw refusal(`${file}, ${found.join(".")}`, instead);
  }
}

function pathsIn(value: unknown, [step, ...rest]: readonly string[]): string[][] {
  if (step === undefined) return [[]];
  const inside =
    isObject(value) || Array.isArray(value) ? Object.entries(value).filter(([name]) => fits(step, name)) : [];
  return inside.flatMap(([name, each]) => pathsIn(each, rest).map((path) => [name, ...path]));
}

/** @throws UsageError when a variable that was removed is set. */
export function refuseRemovedVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, instead] of Object.entries(removed.environment))
    if (env[name] !== undefined) throw refusal(name, instead);
}

const refusal = (where: string, fix: string) => new UsageError({ what: "This was removed", where, fix });
