import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The reference service in a process of its own, with answers that take about 20 ms. */
export interface SlowedService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly key: string;
  readonly categories: readonly string[];
  /** From now on answers are held back this many times as long. */
  slow(factor: number): Promise<void>;
}

/** Starts it. */
export async function startSlowedService(): Promise<SlowedService> {
  const child = fork(fileURLToPath(new URL("slowed-service-main.ts", import.meta.url)));
  const [ready] = (await Promise.race([once(child, "message"), diedEarly()])) as [
    Pick<SlowedService, "baseUrl" | "key" | "categories">,
  ];
  return {
    ...ready,
    async slow(factor) {
      child.send({ factor });
      await once(child, "message");
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.send({ stop: true });
      await once(child, "exit");
    },
  };

  async function diedEarly(): Promise<never> {
    await once(child, "exit");
    throw new Error("the service of the bench ended before it was ready");
  }
}
