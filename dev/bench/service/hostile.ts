import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { keyHeaders } from "../../../schemas/api.ts";
import type { BenchIo } from "../bench.ts";
import { attacks } from "./attacks.ts";
import { type ChildSettings, type ServiceChild, startChild } from "./child.ts";
import { quantile } from "./closed-loop.ts";
import type { TableRow } from "./table.ts";

const seconds = 60;
const dropped = 10_000;
/** Maximum memory after the attack, as a multiple of that before. */
const mostMemory = 1.2;

// V8 and glibc otherwise keep much of the memory they once used: see dev/bench/README.md.
const giveBackMemory: ChildSettings = {
  flags: ["--max-semi-space-size=2"],
  variables: { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "65536" },
};

interface StatusTally {
  answers: number;
  serverErrors: number;
  misshapen: string[];
}

/** Sends hostile traffic of every kind while an honest client keeps sending requests. */
export async function benchHostile(io: BenchIo): Promise<TableRow[]> {
  const { signal } = io;
  await using service = await startChild(
    { kind: "service", options: { products: 1000 } },
    io,
    giveBackMemory,
  );
  const { port, key } = service.ready;
  const tally: StatusTally = { answers: 0, serverErrors: 0, misshapen: [] };
  // Honest traffic first brings the memory to its working size, by count because a busy machine takes longer.
  const warmUp = () => sendHonestRequests(port, key, { until: ({ sent }) => sent >= 1000, pause: 0 }, signal);
  await Promise.all(Array.from({ length: 8 }, warmUp));
  const before = await service.memory();
  const end = Date.now() + seconds * 1000;
  const honest = sendHonestRequests(port, key, { until: () => Date.now() >= end, pause: 20 }, signal);
  await Promise.all([attack(port, key, end, tally, signal), dropConnections(port, signal)]);
  const { latencies, failures } = await honest;
  const { after, rest } = await memoryAtRest(service, before.residentMegabytes * mostMemory, signal);
  const sorted = Float64Array.from(latencies).sort();
  return [
    ["seconds", String(seconds), ""],
    ["hostile requests answered", String(tally.answers), ">= 1"],
    ["connections opened and dropped", String(dropped), ""],
    ["answers of 500 and above", String(tally.serverErrors), "<= 0"],
    ["answers outside the error shape", String(tally.misshapen.length), "<= 0"],
    ...tally.misshapen
      .slice(0, 3)
      .map((text): TableRow => [`  such as ${JSON.stringify(text.slice(0, 120))}`, "", ""]),
    ["honest requests", String(sorted.length), ">= 1"],
    ["honest requests failed", String(failures), "<= 0"],
    ["honest requests, p99 ms", quantile(sorted, 0.99).toFixed(1), ""],
    ["heap after / before, MB", `${after.heapMegabytes.toFixed(0)} / ${before.heapMegabytes.toFixed(0)}`, ""],
    ["memory before, MB", before.residentMegabytes.toFixed(0), ""],
    ["memory after, MB", after.residentMegabytes.toFixed(0), ""],
    ["seconds of rest", String(rest), ""],
    [
      "memory after / before",
      (after.residentMegabytes / before.residentMegabytes).toFixed(2),
      `<= ${mostMemory}`,
    ],
  ];
}

/**
 * The memory once it is down to `enough` megabytes, or after 90 seconds: slow senders are disconnected after ten, and V8
 * and glibc give memory back in the background, which takes longer on a busy machine.
 */
async function memoryAtRest(service: ServiceChild, enough: number, signal: AbortSignal) {
  for (let rest = 15; ; rest += 15) {
    await setTimeout(15_000, undefined, { signal });
    const after = await service.memory();
    if (after.residentMegabytes <= enough || rest === 90) return { after, rest };
  }
}

async function attack(
  port: number,
  key: string,
  end: number,
  tally: StatusTally,
  signal: AbortSignal,
): Promise<void> {
  let number = 0;
  async function worker(): Promise<void> {
    while (Date.now() < end) {
      signal.throwIfAborted();
      const { bytes, slow } = attacks(key, number++);
      judge(await sendRaw(port, bytes, slow), tally);
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** Every response must be a success or have the error shape of the spec. */
function judge(text: string, tally: StatusTally): void {
  for (const answer of text.split(/(?=HTTP\/1\.1 \d{3} )/)) {
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
    if (Number.isNaN(status) || status === 100) continue;
    tally.answers++;
    if (status >= 500) tally.serverErrors++;
    const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
    const shaped = /^\{"error":\{"code":"[a-z_]+","message":"[\s\S]+"\}\}$/.test(body);
    if (status >= 400 && !shaped && !(body === "" && /\r\nx-head: 1/i.test(answer)))
      tally.misshapen.push(answer);
  }
}

function sendRaw(port: number, bytes: readonly Buffer[], slow: boolean): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  // A slow sender stays connected until the service disconnects it.
  socket.setTimeout(slow ? 15_000 : 2000);
  socket.on("timeout", () => socket.destroy());
  socket.on("data", (data) => {
    text += data.toString("utf8");
    if (!slow) socket.setTimeout(30);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(text));
  socket.on("connect", () => {
    for (const part of bytes) socket.write(part);
  });
  if (slow) resolve("");
  return promise;
}

async function dropConnections(port: number, signal: AbortSignal): Promise<void> {
  for (let opened = 0; opened < dropped; opened += 50) {
    signal.throwIfAborted();
    await Promise.all(
      Array.from({ length: 50 }, () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const socket = connect({ port, host: "127.0.0.1" }, () => socket.resetAndDestroy());
        socket.on("error", () => undefined);
        socket.on("close", () => resolve());
        return promise;
      }),
    );
    await setTimeout(5);
  }
}

async function sendHonestRequests(
  port: number,
  key: string,
  { until, pause }: { until: (progress: { sent: number }) => boolean; pause: number },
  signal: AbortSignal,
) {
  const latencies: number[] = [];
  let failures = 0;
  while (!until({ sent: latencies.length })) {
    signal.throwIfAborted();
    const started = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/products?category=shoes&limit=5`, {
        headers: { [keyHeaders.plain]: key },
        signal: AbortSignal.timeout(5000),
      });
      const page = (await response.json()) as { meta?: { count: number } };
      if (response.status !== 200 || page.meta === undefined) failures++;
    } catch {
      failures++;
    }
    latencies.push(performance.now() - started);
    await setTimeout(pause);
  }
  return { latencies, failures };
}
