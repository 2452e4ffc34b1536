import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { randomLcg, randomLogNormal } from "d3-random";
import { startService } from "../../service/start.ts";

// The process that `compare.ts` starts: the reference service, with each response delayed.

/** Milliseconds, and the spread of their logarithm: a service with a database behind it. */
const medianDelay = 20;
const delaySpread = 0.3;

const service = await startService({ rate: 1e9, burst: 1e9 });
const random = randomLcg(0.5);
const draw = randomLogNormal.source(random)(Math.log(medianDelay), delaySpread);
const agent = new Agent({ keepAlive: true });
const { port } = new URL(service.baseUrl);
let factor = 1;

const front = createServer(async (incoming, outgoing) => {
  // Timers have whole milliseconds, so random rounding keeps the mean right.
  await setTimeout(Math.floor(factor * draw() + random()));
  forward(incoming, outgoing);
});

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { url: path, method, headers } = incoming;
  const onward = request({ host: "127.0.0.1", port, path, method, headers, agent });
  onward.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  incoming.pipe(onward);
}

front.listen(0, "127.0.0.1");
await once(front, "listening");
process.on("message", async (message: { readonly factor?: number; readonly stop?: true }) => {
  if (message.factor !== undefined) factor = message.factor;
  if (message.stop === true) {
    front.closeAllConnections();
    front.close();
    agent.destroy();
    await service.stop();
    process.disconnect?.();
    return;
  }
  process.send?.("done");
});
process.send?.({
  baseUrl: `http://127.0.0.1:${(front.address() as AddressInfo).port}/v1`,
  key: service.keys.primary,
  categories: service.categories,
});
