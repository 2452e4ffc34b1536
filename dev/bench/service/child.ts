import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { keyVariables } from "../../../schemas/redaction.ts";
import type { RunningService, ServiceOptions } from "../../../service/start.ts";
import type { BenchIo } from "../bench.ts";

/** What a benchmark runs in a process of its own, so that it has a CPU core to itself. */
export type ChildTask =
  | { readonly kind: "service"; readonly options: ServiceOptions }
  /** `fastify` is the path of its main file. */
  | { readonly kind: "constant"; readonly body: string; readonly fastify: string }
  | { readonly kind: "products"; readonly port: number }
  | { readonly kind: "import"; readonly db: string; readonly file: string };

export interface ChildSettings {
  /** Flags for Node. */
  readonly flags?: readonly string[];
  /** Added to the environment of the benchmark. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The only CPU core that it may use. Default: all */
  readonly core?: number;
}

export interface Ready {
  readonly port: number;
  readonly key: string;
  /** Of a service: what a command needs to judge it. */
  readonly target?: Omit<RunningService, "stop">;
}

/** The variables of the environment with which a command finds a service that was started. */
export function targetVariables({ target }: Ready): Record<string, string> {
  if (target === undefined) throw new TypeError("the task is not a service");
  const { baseUrl, keys, categories } = target;
  return {
    SHELFCHECK_BASE_URL: baseUrl,
    SHELFCHECK_CATEGORIES: categories.join(","),
    [keyVariables.primary]: keys.primary,
    [keyVariables.sameOrg]: keys.sameOrg,
    [keyVariables.otherOrg]: keys.otherOrg,
  };
}

export interface Memory {
  readonly residentMegabytes: number;
  readonly heapMegabytes: number;
  readonly peakMegabytes: number;
}

export interface ServiceChild extends AsyncDisposable {
  readonly ready: Ready;
  /** CPU time of the process since it began, in microseconds. */
  processor(): Promise<number>;
  memory(): Promise<Memory>;
}

/** Starts a task in a process and waits until it is ready: a server listening, an import done. */
export async function startChild(
  task: ChildTask,
  { env, signal }: Pick<BenchIo, "env" | "signal">,
  { flags = [], variables = {}, core }: ChildSettings = {},
): Promise<ServiceChild> {
  const main = fileURLToPath(new URL("child-main.ts", import.meta.url));
  const node = [process.execPath, "--expose-gc", ...flags, main, JSON.stringify(task)] as const;
  const [command, ...args] = core === undefined ? node : (["taskset", "-c", `${core}`, ...node] as const);
  const child = spawn(command, args, {
    env: { ...env, ...variables },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    signal,
  });
  // An abort comes as `error`, and ends the waits below as well.
  child.on("error", () => undefined);
  const ready = (await answerOf(child, signal)) as Ready;
  return {
    ready,
    async processor() {
      child.send("processor");
      return (await answerOf(child, signal)) as number;
    },
    async memory() {
      child.send("memory");
      return (await answerOf(child, signal)) as Memory;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = new Promise((resolve) => child.once("exit", resolve));
      // An aborted child is ending already and reads no messages.
      if (child.connected) child.send("stop");
      await exit;
    },
  };
}

async function answerOf(child: ChildProcess, signal: AbortSignal): Promise<unknown> {
  const ended = new AbortController();
  const options = { signal: AbortSignal.any([signal, ended.signal]) };
  const died = once(child, "exit", options).then(() => {
    throw new Error("the process of the benchmark ended too early");
  });
  try {
    const [message] = await Promise.race([once(child, "message", options), died]);
    return message;
  } finally {
    ended.abort();
  }
}
