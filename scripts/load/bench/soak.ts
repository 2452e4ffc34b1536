import { startConstantServer } from "./constant-server.ts";
import type { MustShow } from "./must-show.ts";
import { measureOurs, type Workplace } from "./workplace.ts";

const rate = 50;

/** A soak: memory of the last quarter against that of the second. */
export async function benchSoak(work: Workplace, seconds: number): Promise<MustShow[]> {
  const server = await startConstantServer(true);
  try {
    const { memoryBytes } = await measureOurs(work, server.baseUrl, { rate, seconds, users: 50 });
    const samples = memoryBytes.filter((bytes) => bytes > 0);
    const quarter = (from: number) => {
      const part = samples.slice(
        Math.floor((from * samples.length) / 4),
        Math.floor(((from + 1) * samples.length) / 4),
      );
      return part.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, part.length) / 1e6;
    };
    const quarters = [0, 1, 2, 3].map(quarter);
    const growth = ((quarters[3] ?? 0) / (quarters[1] ?? 1) - 1) * 100;
    work.print(
      `Soak of ${seconds} s at ${rate}/s: memory by quarter ${quarters.map((mb) => mb.toFixed(1)).join(", ")} MB`,
    );
    return [
      {
        promise: `${seconds / 60} minutes: memory of the last quarter within 5 % of the second`,
        measured: `${growth.toFixed(1)} % above`,
        holds: Math.abs(growth) <= 5,
      },
    ];
  } finally {
    await server.stop();
  }
}
