import { startService } from "../../service/start.ts";

// The process that `startChild` starts.

const { stop, ...target } = await startService({
  rate: 1e9,
  burst: 1e9,
  ...JSON.parse(process.argv[2] ?? ""),
});
process.on("message", async () => {
  await stop();
  process.disconnect?.();
});
process.send?.(target);
