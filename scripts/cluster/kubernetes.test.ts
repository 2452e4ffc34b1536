import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
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

// ci/kubernetes.sh, with a kubectl that plays the cluster.

const script = fileURLToPath(new URL("../../ci/kubernetes.sh", import.meta.url));
const home = await temporaryFolder("kubernetes");
const name = "shelfcheck-lookup-smoke-ab12cd";
const removal = `delete testruns.k6.io,configmaps --selector app.kubernetes.io/instance=${name} --namespace perf`;

/** Sends the load of a manifest of two pods. @param act What happens while the script pauses. */
async function sent(cluster: PlayedCluster, act?: (pid: number) => void) {
  const cwd = await mkdtemp(join(home, "run-"));
  await writeManifests(join(cwd, "m"), {
    run: "ab12cd",
    plan: planLoad({ scenario: "lookup", profileName: "smoke", profile: profiles.smoke, shards: 2 }),
    fixtures: sampleFixtures(),
    connection: { baseUrl: "http://catalog.example/v1", variables: [], files: {} },
  });
  const kubectl = await standInKubectl(home, cluster);
  // A process group of its own, which a signal reaches as Ctrl-C in a terminal does.
  const child = spawn("sh", [script, "m/lookup.json", "perf"], {
    cwd,
    env: kubectl.env,
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const closed = once(child, "close");
  if (act !== undefined) {
    await expect.poll(kubectl.isPaused).toBe(true);
    act(child.pid ?? 0);
  }
  const [exitCode] = await closed;
  const folder = join(cwd, "m", name);
  const calls = await kubectl.calls();
  return {
    exitCode,
    output,
    folder,
    calls,
    deletions: calls.filter((call) => call.startsWith("delete")),
    logs: (await readdir(join(folder, "logs"))).toSorted(),
    seconds: await kubectl.seconds(),
  };
}

const began: Look = ["Running", "Running"];
const ended: Look = ["Succeeded", "Failed"];
const well = { looks: [[], ["Pending"], began, began, ended] } as const;
const everyLog = ["initializer.log", "run-0.log", "run-1.log"];

// Nothing but the pods is asked: the operator may be gone.
test("creates, waits until the pods have ended, saves each log, collects and deletes", async () => {
  const { exitCode, output, folder, calls, deletions, logs } = await sent(well);
  expect(output).toContain("1 Pending CreateContainerConfigError");
  expect(output).toContain("Load: Lookup (smoke)\n  Passed.");
  expect(exitCode).toBe(0);
  expect(logs).toEqual(everyLog);
  expect(calls.every((call) => call.includes("--namespace perf"))).toBe(true);
  expect([...new Set(calls.map((call) => call.split(" ").slice(0, 2).join(" ")))]).toEqual([
    "create --filename",
    "get pods",
    "get events",
    "logs run-0",
    "logs run-1",
    "logs initializer",
    "delete testruns.k6.io,configmaps",
  ]);
  expect(deletions).toEqual([expect.stringContaining(removal)]);
  expect(await readFile(join(folder, "events.txt"), "utf8")).toContain(name);
  expect(await readFile(join(folder, "pods.txt"), "utf8")).toContain("Failed");
});

test("a manifest is one run: a second one is refused before anything is created", async () => {
  const { folder } = await sent({ looks: [ended] });
  const { env, calls } = await standInKubectl(home, well);
  const child = spawn("sh", [script, join(folder, "../lookup.json"), "perf"], { env });
  expect(await once(child, "close")).toEqual([2, null]);
  expect(await calls()).toEqual([""]);
});

describe("what a cluster may do", () => {
  test("the API server restarts and is away at any time: the run passes, and nothing is left", async () => {
    const looks: Look[] = [said.restarting, began, said.away, said.away, ended, said.away, ended];
    const { exitCode, output, deletions, logs } = await sent({ looks, failingDeletions: 2 });
    expect(exitCode, output).toBe(0);
    expect(logs).toEqual(everyLog);
    expect(deletions).toHaveLength(3);
    expect(output).not.toContain("NOT DELETED");
  });

  test("a pod cannot be read: the others are collected, its segment is named, and nothing is deleted", async () => {
    const { exitCode, output, deletions, logs } = await sent({
      looks: [began, ["Succeeded", "Lost"]],
      unreadable: ["run-1"],
    });
    expect(exitCode).toBe(3);
    expect(output).toContain("The result of the pod with segment 1/2:1 is missing.");
    expect(logs).toEqual(["initializer.log", "run-0.log"]);
    expect(deletions).toEqual([]);
    expect(output).toContain(`To delete them: kubectl ${removal}`);
  });

  test("a pod is deleted in the middle: the run ends with the others, and its segment is named", async () => {
    const { exitCode, output, deletions, seconds } = await sent({ looks: [began, ["Succeeded"]] });
    expect(exitCode).toBe(3);
    expect(output).toContain("segment 1/2:1 is missing");
    expect(deletions).toHaveLength(1);
    expect(seconds).toBeLessThan(200);
  });

  test.each<[string, Look, number, number]>([
    ["pods that do not start within ten minutes", ["Running", "Pending"], 600, 3],
    ["pods that are not created, as a quota has it", [], 600, 3],
    // These have logged their results all the same.
    ["pods that do not end", began, 600 + 187, 0],
  ])("%s: states and events are saved, and everything is deleted", async (_, look, longest, code) => {
    const { exitCode, output, folder, deletions, seconds } = await sent({ looks: [look] });
    expect(exitCode, output).toBe(code);
    expect(seconds).toBeGreaterThan(longest);
    expect(seconds).toBeLessThan(longest + 90);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(["events.txt", "pods.txt"]));
    expect(deletions).toHaveLength(1);
  });

  test("a token expires: that is said, ends the run, and nothing is deleted", async () => {
    const { exitCode, output, deletions, seconds } = await sent({ looks: [began, said.expired] });
    expect(exitCode).toBe(3);
    expect(output).toContain("logged in to the server (Unauthorized)");
    expect(deletions).toEqual([]);
    expect(output).toContain(`NOT DELETED`);
    expect(output).toContain(`kubectl ${removal}`);
    expect(seconds).toBeLessThan(200);
  });

  test("nothing can be created: the reason is said, and nothing is deleted", async () => {
    const reason = "error: no matches for kind TestRun in version k6.io/v1alpha1";
    const { exitCode, output, calls } = await sent({ looks: [[]], creates: reason });
    expect(exitCode).toBe(3);
    expect(output).toContain(reason);
    expect(calls).toHaveLength(1);
  });

  test("only some of it can be created: that is deleted", async () => {
    const creates = `configmap/${name} created\nerror: testruns.k6.io is forbidden`;
    const { exitCode, output, deletions } = await sent({ looks: [[]], creates });
    expect(exitCode).toBe(3);
    expect(output).toContain("is forbidden");
    expect(deletions).toHaveLength(1);
  });
});

describe("a signal in the middle", () => {
  const interrupted = (cluster: PlayedCluster, signal: NodeJS.Signals = "SIGINT") =>
    sent({ ...cluster, pauses: true }, (pid) => process.kill(-pid, signal));

  test.each<NodeJS.Signals>(["SIGINT", "SIGTERM"])("%s: the logs are saved, then deleted", async (signal) => {
    const { exitCode, logs, calls } = await interrupted({ looks: [began] }, signal);
    expect(exitCode).toBe(130);
    expect(logs).toEqual(everyLog);
    expect(calls.at(-1)).toContain(removal);
    expect(calls.at(-2)).toMatch(/^logs/);
  });

  test("nothing is deleted when a log cannot be saved", async () => {
    const { exitCode, output, deletions } = await interrupted({ looks: [began], unreadable: ["run-0"] });
    expect(exitCode).toBe(130);
    expect(deletions).toEqual([]);
    expect(output).toContain("NOT DELETED");
  });
});

test("no definition of an object is saved or shown: it may have keys", async () => {
  const { folder, output } = await sent({ looks: [["Pending", "Pending"]] });
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), "utf8")),
  );
  expect([output, ...texts].join()).not.toContain(keyInDefinitions);
});
