import { startService } from "../../service/start.ts";
import type { ChildTask, Ready } from "./child.ts";
import { startConstantServer } from "./constant-server.ts";

// The process that `startChild` starts.

const task: ChildTask = JSON.parse(process.argv[2] ?? "");
const { ready, stop } = await run(task);
process.on("message", async () => {
  await stop();
  process.disconnect?.();
});
process.send?.(ready);

async function run(its: ChildTask): Promise<{ ready: Ready; stop(): Promise<unknown> }> {
  switch (its.kind) {
    case "service": {
      const { stop, ...target } = await startService({ rate: 1e9, burst: 1e9, ...its.options });
      return { ready: { port: Number(new URL(target.baseUrl).port), target }, stop };
    }
    case "products": {
      const { baseUrl, stop } = await startConstantServer(true, its.port);
      return { ready: { port: Number(new URL(baseUrl).port) }, stop };
    }
    default:
      return its satisfies never;
  }
}
