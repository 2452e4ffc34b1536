import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { importCatalogue } from "../catalogue/import.ts";
import { startService } from "../start.ts";
import { openDatabase } from "../store/database.ts";
import type { ChildTask, Ready, Usage } from "./child.ts";

// The process behind `startChild`.

const task: ChildTask = JSON.parse(process.argv[2] ?? "");
const running = await run(task);
process.on("message", async (message) => {
  if (message === "usage") process.send?.(readUsage());
  if (message === "stop") {
    await running.stop();
    process.disconnect?.();
  }
});
process.send?.(running.ready);

function readUsage(): Usage {
  // There with --expose-gc.
  if ("gc" in globalThis) (globalThis.gc as () => void)();
  const { user, system } = process.cpuUsage();
  return {
    cpu: user + system,
    memoryMegabytes: process.memoryUsage.rss() / 2 ** 20,
    heapMegabytes: process.memoryUsage().heapUsed / 2 ** 20,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

async function run(its: ChildTask): Promise<{ ready: Ready; stop(): Promise<unknown> }> {
  switch (its.kind) {
    case "service": {
      const service = await startService({ rate: 1e9, burst: 1e9, ...its.options });
      const { primary: key, otherOrg: otherKey } = service.keys;
      return { ready: { port: Number(new URL(service.baseUrl).port), key, otherKey }, stop: service.stop };
    }
    case "constant": {
      const app = Fastify();
      app.get("/constant", (_request, reply) =>
        reply.header("content-type", "application/json; charset=utf-8").send(its.body),
      );
      await app.listen({ port: 0, host: "127.0.0.1" });
      const { port } = app.server.address() as AddressInfo;
      return { ready: { port, key: "", otherKey: "" }, stop: () => app.close() };
    }
    case "import": {
      const database = openDatabase(its.db);
      await importCatalogue(database, its.file);
      database.close();
      return { ready: { port: 0, key: "", otherKey: "" }, stop: async () => undefined };
    }
    default:
      return its satisfies never;
  }
}
