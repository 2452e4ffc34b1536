import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Lab, startLab } from "../../clients/lab/lab.ts";
import type { Bench, BenchIo } from "./bench.ts";
import { describeRetries } from "./library-behaviour.ts";

// Whether HTTP clients and retry libraries wait as Retry-After requires. The programs in `libraries/` do the tasks with the
// library in LIBRARY, and with its documented retry if RETRY is "on".

/** Packages of a registry, and how their program is prepared and started in a copy of its folder. */
interface Registry {
  readonly prepare: readonly (readonly [command: string, ...args: string[]])[];
  readonly start: (folder: string) => readonly [command: string, ...args: string[]];
  readonly libraries: Readonly<Record<string, Library>>;
  /** The versions of packages, from a file of the program. */
  readonly versions: { readonly file: string; readonly pattern: (name: string) => RegExp };
}

interface Library {
  /** None is part of its language. */
  readonly package?: string;
  /** How it is tried: as it comes, with its documented retry. */
  readonly as: readonly ("off" | "on")[];
}

const own: Library = { as: ["off"] };
const plain = (name: string): Library => ({ package: name, as: ["off"] });
const retrying = (name: string): Library => ({ package: name, as: ["off", "on"] });

const registries = {
  npm: {
    prepare: [["npm", "install", "--no-audit", "--no-fund"]],
    start: (folder) => [process.execPath, join(folder, "client.mjs")],
    versions: { file: "package.json", pattern: (name) => new RegExp(`"${name}": "([^"]+)"`) },
    libraries: {
      "fetch (Node)": own,
      "node-fetch": plain("node-fetch"),
      undici: retrying("undici"),
      got: retrying("got"),
      ky: retrying("ky"),
      axios: plain("axios"),
      "axios-retry": retrying("axios-retry"),
      superagent: retrying("superagent"),
      ofetch: retrying("ofetch"),
      "make-fetch-happen": retrying("make-fetch-happen"),
      "fetch-retry": retrying("fetch-retry"),
      needle: plain("needle"),
      // It does nothing but retry.
      "p-retry": { package: "p-retry", as: ["on"] },
    },
  },
  pypi: {
    prepare: [
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "install", "-q", "-r", "requirements.txt"],
    ],
    start: (folder) => [join(folder, "venv/bin/python"), join(folder, "client.py")],
    versions: { file: "requirements.txt", pattern: (name) => new RegExp(`^${name}==(.+)$`, "m") },
    libraries: {
      "urllib (Python)": own,
      urllib3: retrying("urllib3"),
      requests: retrying("requests"),
      httpx: plain("httpx"),
      "httpx-retries": retrying("httpx-retries"),
      aiohttp: plain("aiohttp"),
      "aiohttp-retry": retrying("aiohttp-retry"),
      tenacity: retrying("tenacity"),
      backoff: retrying("backoff"),
    },
  },
  go: {
    prepare: [["go", "build", "-o", "client", "."]],
    start: (folder) => [join(folder, "client")],
    versions: { file: "go.mod", pattern: (name) => new RegExp(`${name} v(\\S+)`) },
    libraries: {
      "net/http": own,
      "go-retryablehttp": plain("github.com/hashicorp/go-retryablehttp"),
      resty: retrying("github.com/go-resty/resty/v2"),
      rehttp: retrying("github.com/PuerkitoBio/rehttp"),
    },
  },
  crates: {
    prepare: [["cargo", "build", "-q"]],
    start: (folder) => [join(folder, "target/debug/libraries")],
    versions: { file: "Cargo.toml", pattern: (name) => new RegExp(`^${name} = .*?"=([^"]+)"`, "m") },
    libraries: {
      reqwest: retrying("reqwest"),
      "reqwest-retry": retrying("reqwest-retry"),
      ureq: plain("ureq"),
    },
  },
  maven: {
    prepare: [["mvn", "-q", "-B", "compile", "dependency:copy-dependencies"]],
    start: (folder) => [
      "java",
      "-cp",
      `${join(folder, "target/classes")}:${join(folder, "target/dependency")}/*`,
      "LibraryClient",
    ],
    versions: { file: "pom.xml", pattern: (name) => new RegExp(`>${name}</artifactId><version>([^<]+)`) },
    libraries: {
      "java.net.http": own,
      okhttp: plain("okhttp"),
      httpclient5: retrying("httpclient5"),
      "feign-core": retrying("feign-core"),
      "unirest-java": retrying("unirest-java-core"),
    },
  },
} as const satisfies Record<string, Registry>;

type RegistryName = keyof typeof registries;

export const librariesBench: Bench = {
  summary: "whether HTTP clients and retry libraries of five registries wait as Retry-After requires",
  parts: Object.keys(registries),
  run: async (io, words) => {
    const names = (Object.keys(registries) as RegistryName[]).filter(
      (name) => words.length === 0 || words.includes(name),
    );
    const { stdout } = io;
    stdout.write("| library | version | retry | 429, lookup | 429, batch | 502 and 504, lookup | 404 |\n");
    stdout.write("|---|---|---|---|---|---|---|\n");
    for (const name of names) for (const line of await tryRegistry(name, io)) stdout.write(`${line}\n`);
    return 0;
  },
};

const sources = fileURLToPath(new URL("libraries", import.meta.url));
/** Programs wait most of the time. */
const atOnce = 6;

async function tryRegistry(name: RegistryName, io: BenchIo): Promise<string[]> {
  const { prepare, start, libraries, versions }: Registry = registries[name];
  const folder = join(io.folder, name);
  await cp(join(sources, name), folder, { recursive: true });
  for (const [command, ...args] of prepare)
    await promisify(execFile)(command, args, { cwd: folder, env: io.env, signal: io.signal });
  const file = await readFile(join(folder, versions.file), "utf8");
  const rows = Object.entries(libraries).flatMap(([library, { package: of, as }]) => {
    const version = of === undefined ? "" : (versions.pattern(of).exec(file)?.[1] ?? "?");
    return as.map((retry) => ({ library, version, retry }));
  });
  const lines: string[] = [];
  const queue = rows.entries();
  const worker = async () => {
    for (const [at, { library, version, retry }] of queue) {
      const behaviour = await tryLibrary(start(folder), { LIBRARY: library, RETRY: retry }, io);
      lines[at] =
        `| ${[library, version, retry === "on" ? "documented" : "default", ...behaviour].join(" | ")} |`;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return lines;
}

async function tryLibrary(
  [command, ...args]: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>>,
  io: BenchIo,
): Promise<readonly string[]> {
  const lab: Lab = await startLab({
    tasks: ["look-up", "batch"],
    situations: ["wait-1", "wait-2", "wait-5", "bad-gateway", "gateway-timeout"],
  });
  try {
    const child = spawn(command, args, {
      env: {
        ...io.env,
        ...variables,
        SHELFCHECK_BASE_URL: lab.baseUrl,
        SHELFCHECK_API_KEY: lab.key,
        SHELFCHECK_TASK: JSON.stringify(lab.document),
      },
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 240_000,
    });
    let printed = "";
    child.stderr.on("data", (text) => (printed = `${printed}${String(text)}`.slice(-500)));
    const [code] = await once(child, "close");
    if (code !== 0 || lab.exchanges().length === 0)
      return [`not tried: ${printed.trim().split("\n").at(-1)}`];
    return describeRetries(lab.exchanges());
  } finally {
    await lab.stop();
  }
}
