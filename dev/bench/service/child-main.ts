import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { openDatabase } from "../../../service/catalog/database.ts";
import { importCatalog } from "../../../service/catalog/import.ts";
import { startService } from "../../../service/start.ts";
import { startConstantServer } from "../load/constant-server.ts";
import type { ChildTask, Memory, Ready } from "./child.ts";

// The process that `startChild` starts.

const megabyte = 2 ** 20;

/** The part of Fastify that is used here; its own types are not installed with the project. */
interface FastifyApp {
  readonly server: { address(): AddressInfo };
  get(path: string, handler: (request: unknown, reply: FastifyReply) => FastifyReply): unknown;
  listen(address: { readonly port: number; readonly host: string }): Promise<unknown>;
  close(): Promise<unknown>;
}

interface FastifyReply {
  header(name: string, value: string): FastifyReply;
  send(body: string): FastifyReply;
}

const task: ChildTask = JSON.parse(process.argv[2] ?? "");
const running = await run(task);
process.on("message", async (message) => {
  switch (message) {
    case "processor": {
      const { user, system } = process.cpuUsage();
      process.send?.(user + system);
      break;
    }
    case "memory":
      process.send?.(await readMemory());
      break;
    case "stop":
      await running.stop();
      process.disconnect?.();
      break;
  }
});
process.send?.(running.ready);

/**
 * Memory after garbage collection. V8 gives pages back in the background, so the garbage is collected until three
 * collections in a row freed less than a megabyte.
 */
async function readMemory(): Promise<Memory> {
  const { gc } = globalThis;
  let least = Number.POSITIVE_INFINITY;
  for (let unchanged = 0; unchanged < 3; unchanged++) {
    if (gc !== undefined) gc();
    await setTimeout(300);
    const now = process.memoryUsage.rss();
    if (now > least - megabyte) continue;
    least = now;
    unchanged = -1;
  }
  const { rss, heapUsed } = process.memoryUsage();
  return {
    residentMegabytes: rss / megabyte,
    heapMegabytes: heapUsed / megabyte,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

async function run(its: ChildTask): Promise<{ ready: Ready; stop(): Promise<unknown> }> {
  switch (its.kind) {
    case "service": {
      const service = await startService({ rate: 1e9, burst: 1e9, ...its.options });
      const { stop, ...target } = service;
      const port = Number(new URL(target.baseUrl).port);
      return { ready: { port, key: target.keys.primary, target }, stop };
    }
    case "constant": {
      const app: FastifyApp = createRequire(import.meta.url)(its.fastify)();
      app.get("/constant", (_request, reply) =>
        reply.header("content-type", "application/json; charset=utf-8").send(its.body),
      );
      await app.listen({ port: 0, host: "127.0.0.1" });
      const { port } = app.server.address();
      return { ready: { port, key: "" }, stop: () => app.close() };
    }
    case "products": {
      const { baseUrl, stop } = await startConstantServer(true, its.port);
      return { ready: { port: Number(new URL(baseUrl).port), key: "" }, stop };
    }
    case "import": {
      const database = openDatabase(its.db);
      await importCatalog(database, its.file);
      database.close();
      return { ready: { port: 0, key: "" }, stop: async () => undefined };
    }
    default:
      return its satisfies never;
  }
}
