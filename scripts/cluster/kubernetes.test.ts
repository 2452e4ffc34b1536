import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { profiles } from "../../scenarios/profiles.ts";
import {
  keyInDefinitions,
  type Look,
  type PlayedCluster,
  said,
  standInKubectl,
} from "../../test/support/stand-in-kubectl.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { planLoad } from "../load/plan.ts";
import { writeManifests } from "./manifests.ts";

// ci/kubernetes.sh, with a kubectl that plays the cluster, and a shelfcheck that only says how it was called.

const script = fileURLToPath(new URL("../../ci/kubernetes.sh", import.meta.url));
const home = await temporaryFolder("kubernetes");
const name = "shelfcheck-lookup-smoke-ab12cd";
const removal = `delete testruns.k6.io,configmaps --selector app.kubernetes.io/instance=${name} --namespace perf`;
const manifest = await writeManifests(home, {
  run: "ab12cd",
  plan: { ...planLoad({ scenario: "lookup", profileName: "smoke", profile: profiles.smoke }), shards: 2 },
  fixtures: sampleFixtures(),
  connection: { baseUrl: "http://catalog.example/v1", variables: [], files: {}, leavesProxyOut: false },
});

/** Sends the load of a manifest of two pods. @param signal Sent while the script pauses. */
async function sent(cluster: PlayedCluster, signal?: NodeJS.Signals) {
  const cwd = await mkdtemp(join(home, "run-"));
  await cp(manifest, join(cwd, "lookup.json"));
  const kubectl = await standInKubectl(cwd, { ...cluster, pauses: signal !== undefined });
  // A process group of its own, which a signal reaches as Ctrl-C in a terminal does.
  const child = spawn("sh", [script, "lookup.json", "perf", "--out", "x"], {
    cwd,
    env: kubectl.env,
    detached: true,
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const closed = once(child, "close");
  if (signal !== undefined) {
    await expect.poll(kubectl.isPaused).toBe(true);
    process.kill(-(child.pid ?? 0), signal);
  }
  const [exitCode] = await closed;
  const folder = join(cwd, name);
  const calls = await kubectl.calls();
  const ofKind = (kind: string) => calls.filter((call) => call.startsWith(kind));
  return {
    ...{ exitCode, output, folder, cwd, calls },
    deletions: ofKind("delete"),
    collections: ofKind("shelfcheck"),
    logs: (await readdir(join(folder, "logs"))).toSorted(),
    seconds: await kubectl.seconds(),
  };
}

const began: Look = ["Running", "Running"];
const ended: Look = ["Succeeded", "Failed"];
const everyLog = ["initializer.log", "run-0.log", "run-1.log"];

// Nothing but the pods is asked: the operator may be gone.
test("creates, waits until the pods have ended, saves each log, collects and deletes; once for a manifest", async () => {
  const looks: Look[] = [[], ["Pending"], began, began, ended];
  const { exitCode, output, folder, cwd, calls, deletions, logs } = await sent({ looks, collects: 1 });
  expect(output).toContain("1 Pending CreateContainerConfigError");
  expect(exitCode).toBe(1);
  expect(logs).toEqual(everyLog);
  const ofKubectl = calls.filter((call) => !call.startsWith("shelfcheck"));
  expect(ofKubectl.every((call) => call.includes("--namespace perf"))).toBe(true);
  expect([...new Set(calls.map((call) => call.split(" ").slice(0, 2).join(" ")))]).toEqual([
    "create --filename",
    "get pods",
    "get events",
    "logs run-0",
    "logs run-1",
    "logs initializer",
    "shelfcheck load",
    "delete testruns.k6.io,configmaps",
  ]);
  expect(calls).toContain(`shelfcheck load --collect ./${name}/logs --out x`);
  expect(deletions).toEqual([expect.stringContaining(removal)]);
  expect(await readFile(join(folder, "events.txt"), "utf8")).toContain(name);
  expect(await readFile(join(folder, "pods.txt"), "utf8")).toContain("Failed");
  const again = await standInKubectl(home, { looks: [ended] });
  const child = spawn("sh", [script, join(cwd, "lookup.json"), "perf"], { env: again.env });
  expect(await once(child, "close")).toEqual([2, null]);
  expect(await again.calls()).toEqual([""]);
});

describe("what a cluster may do", () => {
  test("the API server restarts and is away at any time: all is collected, and nothing is left", async () => {
    const looks: Look[] = [said.restarting, began, said.away, said.away, ended, said.away, ended];
    const { exitCode, output, deletions, logs } = await sent({ looks, failingDeletions: 2 });
    expect(exitCode, output).toBe(0);
    expect(logs).toEqual(everyLog);
    expect(deletions).toHaveLength(3);
    expect(output).not.toContain("NOT DELETED");
  });

  test("a pod cannot be read: the others are collected, and nothing is deleted", async () => {
    const { collections, output, deletions, logs } = await sent({
      looks: [began, ["Succeeded", "Lost"]],
      unreadable: ["run-1"],
    });
    expect(logs).toEqual(["initializer.log", "run-0.log"]);
    expect(collections).toHaveLength(1);
    expect(deletions).toEqual([]);
    expect(output).toContain(`To delete them: kubectl ${removal}`);
  });

  test.each<[string, Look[], number, string[]]>([
    ["a pod is deleted in the middle", [began, ["Succeeded"]], 0, ["initializer.log", "run-0.log"]],
    ["pods do not start within ten minutes", [["Running", "Pending"]], 600, ["initializer.log", "run-0.log"]],
    ["pods are not created, as a quota has it", [[]], 600, ["initializer.log"]],
    // These have logged their results all the same.
    ["pods do not end", [began], 600 + 187, everyLog],
  ])("%s: logs, states and events are saved, and everything is deleted", async (_, looks, longest, saved) => {
    const { output, folder, deletions, seconds, logs } = await sent({ looks });
    expect(logs, output).toEqual(saved);
    expect(seconds).toBeGreaterThanOrEqual(longest);
    expect(seconds).toBeLessThan(longest + 200);
    const files = await readdir(folder);
    expect(files).toEqual(expect.arrayContaining(["events.txt", "pods.txt"]));
    expect(deletions).toHaveLength(1);
    // No definition of an object, which may have keys.
    const texts = files.filter((file) => file.endsWith(".txt")).map((file) => readFile(join(folder, file)));
    expect([output, ...(await Promise.all(texts))].join()).not.toContain(keyInDefinitions);
  });

  test("a token expires: that is said, ends the run, and nothing is deleted", async () => {
    const { exitCode, output, deletions, seconds } = await sent({ looks: [began, said.expired] });
    expect(exitCode).toBe(3);
    expect(output).toContain("logged in to the server (Unauthorized)");
    expect(deletions).toEqual([]);
    expect(output).toContain(`kubectl ${removal}`);
    expect(seconds).toBeLessThan(200);
  });

  test.each([
    ["nothing", "error: no matches for kind TestRun in version k6.io/v1alpha1", 0],
    ["only some of it", `configmap/${name} created\nerror: testruns.k6.io is forbidden`, 1],
  ])("%s can be created: the reason is said, and what is there is deleted", async (_, creates, removed) => {
    const { exitCode, output, deletions } = await sent({ looks: [[]], creates });
    expect(exitCode).toBe(3);
    expect(output).toContain(creates.slice(creates.indexOf("error: ")));
    expect(deletions).toHaveLength(removed);
  });
});

describe("a signal in the middle", () => {
  test.each<NodeJS.Signals>(["SIGINT", "SIGTERM"])("%s: the logs are saved, then deleted", async (signal) => {
    const { exitCode, logs, calls } = await sent({ looks: [began] }, signal);
    expect(exitCode).toBe(130);
    expect(logs).toEqual(everyLog);
    expect(calls.at(-1)).toContain(removal);
    expect(calls.at(-2)).toMatch(/^logs/);
  });

  test("nothing is deleted when a log cannot be saved", async () => {
    const { output, deletions } = await sent({ looks: [began], unreadable: ["run-0"] }, "SIGINT");
    expect(deletions).toEqual([]);
    expect(output).toContain("NOT DELETED");
  });
});
