import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { keyVariables } from "../../schemas/redaction.ts";
import type { RunningService, ServiceOptions } from "../../service/start.ts";
import type { BenchIo } from "./bench.ts";

/** What a benchmark runs in a process of its own, so that it has a CPU core to itself. */
export type ChildTask =
  | { readonly kind: "service"; readonly options: ServiceOptions }
  | { readonly kind: "products"; readonly port: number };

export interface Ready {
  readonly port: number;
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

/**
 * Starts a task in a process and waits until its server listens.
 * @param core The only CPU core that it may use. Default: all
 */
export async function startChild(
  task: ChildTask,
  { env, signal }: Pick<BenchIo, "env" | "signal">,
  core?: number,
): Promise<Ready & AsyncDisposable> {
  const main = fileURLToPath(new URL("child-main.ts", import.meta.url));
  const pinned = core === undefined ? [] : ["taskset", "-c", `${core}`];
  const [command = "", ...args] = [...pinned, process.execPath, main, JSON.stringify(task)];
  const child = spawn(command, args, { env, stdio: ["inherit", "inherit", "inherit", "ipc"], signal });
  // An abort comes as `error`, and ends the wait below as well.
  child.on("error", () => undefined);
  const died = once(child, "exit").then(() => {
    throw new Error("the process of the benchmark ended too early");
  });
  const [ready] = (await Promise.race([once(child, "message", { signal }), died])) as [Ready];
  died.catch(() => undefined);
  return {
    ...ready,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      // An aborted child is ending already and reads no messages.
      if (child.connected) child.send("stop");
      await exit;
    },
  };
}
