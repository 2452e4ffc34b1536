import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { runHere } from "../../test/support/command.ts";
import { freePort } from "../../test/support/server.ts";
import { startStubService } from "../../test/support/stub-service.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { resolveK6 } from "../load/k6/resolve.ts";
import { planLoad } from "../load/plan.ts";
import { podConnection, writeManifests } from "./manifests.ts";

const pods = 2;
const folder = await temporaryFolder("cluster");

/** The arguments of one of the pods, which share a run equally. */
function segmentArguments(place: number): string[] {
  const border = (index: number) => (index === 0 || index === pods ? `${index / pods}` : `${index}/${pods}`);
  const sequence = Array.from({ length: pods + 1 }, (_, index) => border(index)).join(",");
  return [
    ...["--execution-segment", `${border(place)}:${border(place + 1)}`],
    ...["--execution-segment-sequence", sequence],
  ];
}

/** A runner as k6-operator starts it: paused, until the starter resumes it. Resolves to its log. */
async function runner(place: number, port: number, env: NodeJS.ProcessEnv, args: readonly string[]) {
  const { path } = await resolveK6({ env: process.env, progress: () => undefined });
  const child = spawn(
    path,
    [
      ...["run", "--quiet", ...segmentArguments(place), ...args, "lookup.js"],
      ...[`--address=127.0.0.1:${port}`, "--paused", "--tag", `instance_id=${place + 1}`],
    ],
    { cwd: folder, env },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  await once(child, "close");
  return log;
}

/** What the operator's starter sends. */
async function resume(port: number): Promise<void> {
  const body = JSON.stringify({ data: { type: "status", id: "default", attributes: { paused: false } } });
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/status`, { method: "PATCH", body }).catch(
      () => undefined,
    );
    if (response?.ok === true) return;
    await sleep(100);
  }
  throw new Error("the runner did not listen");
}

test("pods that the operator starts from the manifests are collected as one run", async () => {
  const service = await startStubService();
  const stages = [
    { seconds: 0, rate: 20 },
    { seconds: 1, rate: 60 },
  ];
  const thresholds = { ...profiles.smoke.thresholds, lagMilliseconds: 60_000, p95Milliseconds: 5000 };
  const profile = { ...profiles.smoke, stages, thresholds, virtualUsers: 40 };
  const request = {
    run: "ab12cd",
    plan: { ...planLoad({ scenario: "lookup", profileName: "test", profile }), shards: pods },
    fixtures: sampleFixtures(),
    connection: podConnection({ baseUrl: service.baseUrl }),
  };
  const { items } = JSON.parse(await readFile(await writeManifests(folder, request), "utf8")) as {
    items: [
      { data: Record<string, string> },
      { spec: { arguments: string; runner: { env: { name: string; value?: string }[] } } },
    ];
  };
  const [configMap, testRun] = items;
  for (const [name, text] of Object.entries(configMap.data)) await writeFile(join(folder, name), text);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ...Object.fromEntries(testRun.spec.runner.env.map(({ name, value }) => [name, value])),
    SHELFCHECK_API_KEY: "canary-key-77ab",
  };
  const ports = Array.from({ length: pods }, freePort);
  const args = testRun.spec.arguments.split(" ");
  const [logs] = await Promise.all([
    Promise.all(ports.map((port, place) => runner(place, port, env, args))),
    Promise.all(ports.map(resume)),
  ]);
  await service.stop();

  const collected = join(folder, "logs");
  await mkdir(collected);
  await Promise.all(logs.map((log, pod) => writeFile(join(collected, `pod-${pod}.log`), log)));
  const { exitCode, stdout } = await runHere(["load", "--collect", "logs", "--json"], { cwd: folder });
  const results = JSON.parse(stdout) as Results;
  expect(results.load[0]).toMatchObject({
    verdict: "pass",
    scenario: "lookup",
    profile: "test",
    findings: [],
  });
  expect(exitCode).toBe(0);
  expect(results.target.baseUrl).toBe(service.baseUrl);
  // 40 iterations are planned, and each pod sends its half.
  expect(results.load[0]?.metrics.http_reqs?.count).toBe(40);
  expect(service.requests).toHaveLength(40);
  expect(logs.join()).not.toContain("canary-key-77ab");
}, 120_000);
