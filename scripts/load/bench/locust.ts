import { join } from "node:path";
import { measure } from "./measured-process.ts";
import { locustVersion, writeLocustPeer } from "./peers.ts";
import type { Workplace } from "./workplace.ts";

/** Starts Locust with so many users, as fast as they go, for so many seconds. */
export type LocustRunner = (baseUrl: string, users: number, seconds: number) => ReturnType<typeof measure>;

/** Locust in a virtual environment of the bench; undefined, and said, where it cannot be installed. */
export async function locustRunner(work: Workplace): Promise<LocustRunner | undefined> {
  const { folder, signal, print } = work;
  const venv = join(folder, "locust");
  const options = { env: process.env, cwd: folder, signal };
  print(`  peers: python3 -m venv locust && locust/bin/pip install locust==${locustVersion}`);
  await measure(["python3", "-m", "venv", venv], options);
  const { code } = await measure(
    [join(venv, "bin/pip"), "install", "--quiet", `locust==${locustVersion}`],
    options,
  );
  if (code !== 0) {
    print("  Locust could not be installed: left out");
    return undefined;
  }
  const file = await writeLocustPeer(folder);
  return (baseUrl, users, seconds) => {
    const host = baseUrl.replace(/\/v1$/, "");
    const args = [
      "-f",
      file,
      "--headless",
      "-u",
      `${users}`,
      "-r",
      `${users}`,
      "-t",
      `${seconds}s`,
      "-H",
      host,
    ];
    const env = { ...process.env, SHELFCHECK_API_KEY: "bench" };
    return measure([join(venv, "bin/locust"), ...args, "--only-summary"], {
      ...options,
      env: { ...env, SHELFCHECK_FIXTURES: join(folder, "fixtures.json") },
    });
  };
}
