import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { keyVariables } from "../../schemas/redaction.ts";
import type { RunningService, ServiceOptions } from "../../service/start.ts";
import type { BenchIo } from "./bench.ts";

/** What a command needs to judge a service. */
export type StartedService = Omit<RunningService, "stop">;

/** The variables of the environment with which a command finds a service that was started. */
export function targetVariables({ baseUrl, keys, categories }: StartedService): Record<string, string> {
  return {
    SHELFCHECK_BASE_URL: baseUrl,
    SHELFCHECK_CATEGORIES: categories.join(","),
    [keyVariables.primary]: keys.primary,
    [keyVariables.sameOrg]: keys.sameOrg,
    [keyVariables.otherOrg]: keys.otherOrg,
  };
}

/** Starts the reference service in a process of its own and waits until it listens. */
export async function startChild(
  options: ServiceOptions,
  { env, signal }: Pick<BenchIo, "env" | "signal">,
): Promise<StartedService & AsyncDisposable> {
  const main = fileURLToPath(new URL("child-main.ts", import.meta.url));
  const args = [main, JSON.stringify(options)];
  const child = spawn(process.execPath, args, {
    env,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    signal,
  });
  // An abort comes as `error`, and ends the wait below as well.
  child.on("error", () => undefined);
  const died = once(child, "exit").then(() => {
    throw new Error("the process of the benchmark ended too early");
  });
  const [target] = (await Promise.race([once(child, "message", { signal }), died])) as [StartedService];
  died.catch(() => undefined);
  return {
    ...target,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      // An aborted child is ending already and reads no messages.
      if (child.connected) child.send("stop");
      await exit;
    },
  };
}
