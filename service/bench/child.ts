import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServiceOptions } from "../start.ts";

/** What a bench may run in a process of its own, so that it has a processor core to itself. */
export type ChildTask =
  | { readonly kind: "service"; readonly options: ServiceOptions }
  | { readonly kind: "constant"; readonly body: string }
  | { readonly kind: "import"; readonly db: string; readonly file: string };

/** How the process is run. */
export interface ChildSettings {
  /** Flags for Node. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Ready {
  readonly port: number;
  readonly key: string;
  readonly otherKey: string;
}

export interface Memory {
  readonly residentMegabytes: number;
  readonly heapMegabytes: number;
  readonly peakMegabytes: number;
}

export interface Child extends AsyncDisposable {
  readonly ready: Ready;
  /** Processor time of the process since it began, in microseconds. */
  processor(): Promise<number>;
  memory(): Promise<Memory>;
}

/** Starts a task in a process and waits until it is ready: a server listening, an import done. */
export async function startChild(
  task: ChildTask,
  signal: AbortSignal,
  { flags = [], environment = {} }: ChildSettings = {},
): Promise<Child> {
  const child = fork(fileURLToPath(new URL("child-main.ts", import.meta.url)), [JSON.stringify(task)], {
    execArgv: ["--expose-gc", ...flags],
    env: { ...process.env, ...environment },
    signal,
  });
  // An aborted child says so through `error`; the bench's own waits are aborted as well.
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
      // An aborted child is on its way out already, and hears nothing.
      if (child.connected) child.send("stop");
      await exit;
    },
  };
}

async function answerOf(child: ChildProcess, signal: AbortSignal): Promise<unknown> {
  const over = new AbortController();
  const options = { signal: AbortSignal.any([signal, over.signal]) };
  const died = once(child, "exit", options).then(() => {
    throw new Error("the process of the bench ended too early");
  });
  try {
    const [message] = await Promise.race([once(child, "message", options), died]);
    return message;
  } finally {
    over.abort();
  }
}
